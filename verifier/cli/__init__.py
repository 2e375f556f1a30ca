"""Provide the command line: commands, batches and their workers."""
