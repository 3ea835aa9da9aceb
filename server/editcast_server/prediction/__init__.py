"""The prediction thread, its model, and the policy that decides what is shown."""
