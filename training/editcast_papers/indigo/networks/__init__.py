"""Transformer-InDIGO: its network, its likelihood, and how it decodes."""
