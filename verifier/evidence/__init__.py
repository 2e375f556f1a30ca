"""From a claim to the few texts that may settle it."""
