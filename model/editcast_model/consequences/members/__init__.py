"""Consequences of changed members and keys."""
