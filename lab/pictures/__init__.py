"""Make what README and docs show: the picture of a check, and command output.

`python -m lab.pictures` makes both.
"""
