"""From what a person typed to the claim that is checked."""
