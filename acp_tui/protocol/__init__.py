"""The protocol: JSON-RPC without I/O, and the objects of ACP as models.

- Bytes: `frames`, `jsonrpc`.
- Objects: `schema`, `validation`, `list_limits`, `unknown_parts`, `json_values`.
- Other forms of them: `dialects` (older agents), `version2`, `git_patch`.
"""
