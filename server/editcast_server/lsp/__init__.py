"""The LSP surface: messages in, calls of the service, answers out."""
