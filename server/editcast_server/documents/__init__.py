"""Open documents: their text, their suggestions, and what the user did with them."""
