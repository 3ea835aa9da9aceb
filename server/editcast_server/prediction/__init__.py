"""The prediction thread, the model it uses, and the policy on what to show."""
