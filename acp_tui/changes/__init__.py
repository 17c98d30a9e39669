"""Changes of the workspace: snapshots, watching, undoing, and who changed what."""
