"""Offline training: histories to instances, instances to bundles, bundles to reports."""
