"""Panthaplackel et al. (2021): edits of a sequence as a sequence that copies spans."""
