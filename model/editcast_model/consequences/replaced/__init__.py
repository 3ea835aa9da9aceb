"""Further occurrences of words and versions that were replaced once."""
