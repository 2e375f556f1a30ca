"""The command line: commands, batches and their workers."""
