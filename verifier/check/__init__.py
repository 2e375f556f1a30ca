"""The stages of a check in order, the loop over evidence, and one result."""
