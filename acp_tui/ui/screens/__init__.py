"""Dialogs and full screens, one file each."""
