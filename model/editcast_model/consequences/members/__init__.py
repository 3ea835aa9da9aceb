"""What follows from changes of members and keys."""
