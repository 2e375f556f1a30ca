"""Readers that a user adds: classifiers of the hub that are fetched, measured, and adopted where they beat the one in use."""
