"""Writes the starter pack's statements from figures in the public domain."""
