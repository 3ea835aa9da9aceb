"""Expressions and statements that are left to be rewritten as another one just was."""
