"""Snapshots of a workspace: take, compare, restore, undo.

- `tracker` says when: it looks at the workspace, with `baseline`, `changed_files`, `line_counts` and
  `untracked`.
- Snapshots are `snapshots` on `git_tree`, `git_store` and `git`; `file_list`, `ignore_patterns` and
  `exact_names` say which files, and `watcher` which may have changed.
- `undo`, `undo_stack`, `restore` and `merge` write them.
- `snapshot_log` has the rows in the journal; `blame` and `line_steps` find who wrote a line.
"""
