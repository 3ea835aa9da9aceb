"""Edits that follow in a file from what was changed in others, by what it imports of them."""
