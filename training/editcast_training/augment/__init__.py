"""Augmentation: commits in the order people edit, infilling, refactorings."""
