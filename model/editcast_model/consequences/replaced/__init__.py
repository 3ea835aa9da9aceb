"""Words and versions that were replaced at one place, at the other places where they stand."""
