"""Files inside the roots, real terminals and child processes, for agents and their commands.

- Files: `files`, `file_versions`, `encodings`, `backups`, `real_paths`, `branches`; their changes:
  `folder_events`, `watched_files`.
- Processes: `terminals`, `processes`, `short_programs`, `launcher`, and `guard` with `orphans` for the end;
  `enclosure` is what a sandbox does to them.
"""
