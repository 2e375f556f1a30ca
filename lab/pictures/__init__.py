"""What README and docs show: the picture of a check, and the output of commands. `python -m lab.pictures` makes both."""
