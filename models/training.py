"""Name the new place of `python -m models.training`."""

import sys

sys.exit("error: python -m models.training is now python -m lab.training")
