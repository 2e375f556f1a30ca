"""Measure how often a check is right: cases, public sets and the figures."""

SETS = ("scifact", "healthver", "climate_fever", "averitec", "factcheckbench", "fever")
"""The public sets that `public` reads; named here so that the command line's help loads nothing heavy."""
