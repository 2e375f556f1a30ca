"""How often a check is right: claims with a known verdict, public sets of them, and the figures of a run."""

SETS = ("scifact", "healthver", "climate_fever", "averitec", "factcheckbench", "fever")
"""The public sets that `public` reads; named here so that the command line's help loads nothing heavy."""
