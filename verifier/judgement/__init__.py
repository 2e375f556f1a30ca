"""From evidence to a verdict with word-for-word citations."""
