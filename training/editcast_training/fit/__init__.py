"""Training: the loop, the loss, checkpoints."""
