"""Reproductions of papers; not part of the wheel."""
