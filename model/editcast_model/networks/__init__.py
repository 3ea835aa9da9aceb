"""The neural networks (torch)."""
