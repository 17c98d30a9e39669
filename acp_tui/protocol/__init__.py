"""The protocol: JSON-RPC without I/O, and the objects of ACP as models."""
