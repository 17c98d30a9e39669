"""The protocol: JSON-RPC without IO, and the words of ACP as models."""
