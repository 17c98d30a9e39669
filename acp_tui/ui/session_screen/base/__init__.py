"""The base of the session screen, which all parts know: widgets and layout."""
