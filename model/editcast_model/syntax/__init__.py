"""Syntax trees of open files, and what their names mean."""
