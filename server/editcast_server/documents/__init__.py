"""Open documents: their text, their suggestions, and the user's decisions on them."""
