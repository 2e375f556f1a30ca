"""Ask an instruct model, and check its answers."""
