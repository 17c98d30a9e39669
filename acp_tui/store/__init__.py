"""Everything on disk: settings, journals, recorded sessions, decisions, drafts, preferences.

- Settings: `settings`, `setting_list`, `toml_check`, `agents`, `mcp`.
- Recorded sessions: `journal`, `journal_overflow`, `recordings`, `disk_space`, `redaction`, `decisions`.
- Search in them: `search_documents`, `search_index`, `search_query`.
- Kept for the user: `preferences`, `prompts`, `edited_texts`.
- For all of them: `folders` (where they are), `plain_files` (how they are read, locked and written), `urls`
  (secrets in addresses).
"""
