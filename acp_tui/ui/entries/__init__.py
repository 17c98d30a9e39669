"""How each kind of entry becomes lines."""
