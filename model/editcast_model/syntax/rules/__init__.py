"""The scopes of each language."""
