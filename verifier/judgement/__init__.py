"""Turn evidence into a verdict with word-for-word citations."""
