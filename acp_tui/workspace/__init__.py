"""Files inside the roots, real terminals and child processes, for agents and their commands."""
