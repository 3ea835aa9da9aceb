"""Where histories come from: git, Local History, the store of saves, JSON lines."""
