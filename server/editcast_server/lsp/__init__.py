"""The LSP interface: messages, handlers and conversions."""
