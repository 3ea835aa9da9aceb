"""Texts for people, which are translated."""
