"""Measure each model at its task, on named public splits and claims of our own."""
