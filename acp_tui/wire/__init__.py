"""Bytes and JSON-RPC, nothing about ACP."""
