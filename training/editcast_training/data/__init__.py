"""From file histories to batches: instances, corpus, dataset."""
