"""Names the place where `python -m models.training` is now."""

import sys

sys.exit("error: python -m models.training is now python -m lab.training")
