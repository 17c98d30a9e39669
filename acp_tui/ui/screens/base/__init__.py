"""Bases of dialogs, menus and full screens, with the guard against keys meant for something else."""
