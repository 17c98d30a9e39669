"""Rules and policies: model, files, command lines and protected files."""
