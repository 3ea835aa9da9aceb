"""Replayed editing sessions, scored: metrics, results, reports."""
