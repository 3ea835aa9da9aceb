"""Attacks on Editcast: each module has one, `attack(limit, seed) -> Figures`.

`make test` runs their short forms, `make soak` the long ones. An attack does not fail: it counts
what it tried, and keeps what it found with all that reproduces it.
"""
