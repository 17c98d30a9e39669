"""The base of the scenes: connection, sessions, turns and the client's services."""
