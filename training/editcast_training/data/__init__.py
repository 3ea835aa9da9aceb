"""From file histories to batches: instances, corpus, splits, vocabulary."""
