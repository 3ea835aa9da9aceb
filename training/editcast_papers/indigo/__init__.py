"""Insertion-based decoding with automatically inferred generation order (Gu et al. 2019)."""
