"""Results that a function has since a change: further ones, and one that is wrapped."""
