"""From a file's edit history to ranked predictions: candidates, filters, ranker, calibration."""
