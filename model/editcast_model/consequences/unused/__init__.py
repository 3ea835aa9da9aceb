"""Code that has lost its last use."""
