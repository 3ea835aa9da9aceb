"""The candidate sources."""
