"""Names the place where `python -m world` is now."""

import sys

sys.exit("error: python -m world is now python -m lab.world")
