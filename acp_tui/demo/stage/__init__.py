"""What the scenes of the demo agent stand on: the line to the client, sessions, turns and their work."""
