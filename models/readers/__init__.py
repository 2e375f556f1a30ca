"""Readers that a user adds: hub classifiers, adopted if they beat the one in use."""
