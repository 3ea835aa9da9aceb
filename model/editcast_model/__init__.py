"""Edits, the networks that forecast them, and what both sides of Editcast share."""
