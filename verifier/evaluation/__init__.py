"""How often a check is right: claims with a known verdict, public sets of them, and the figures of a run."""
