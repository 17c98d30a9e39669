"""Lists and views of rows, and the rows around them: keys, a search, the field for a note."""
