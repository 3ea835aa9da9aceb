"""Edits that follow from the last ones by what names mean, in one file and across a project."""
