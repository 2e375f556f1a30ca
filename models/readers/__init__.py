"""Readers that a user adds: classifiers of the hub, adopted where they beat the one in use."""
