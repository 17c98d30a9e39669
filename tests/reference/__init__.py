"""The reference pages in docs/: `python -m tests.reference` writes what can be read from the program."""
