"""The report: the paper's numbers beside what was run."""
