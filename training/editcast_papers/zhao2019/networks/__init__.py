"""The networks of the paper's tables, and IA+."""
