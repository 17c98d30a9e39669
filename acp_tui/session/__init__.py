"""The state of a session: entries, plan, options, questions, changed files. No I/O and no clock.

- `session` applies each event of `events`; its parts are `turns`, `messages` (in `text_buffer`),
  `tool_calls`, `plans`, `options`, `subagents`, `compactions`, `notices`, `file_changes` and
  `earlier_runs`.
- `entries` is what the chat shows.
- Permissions: `questions`, `permission_option_names`, `decided_calls`, and `shell_command`, the command of
  a call.
- Changes: `snippets` are edits of a part, `line_notes` follow their lines, `remarks` come from a review,
  and `plan_step_work` is what a step has done.
- Out of a session go `json_export` and `briefs`; `replay_differences` compares it with what its agent
  replays.
"""
