"""Sources of histories: git, Local History, the store of saves, JSON lines."""
