"""`python -m kb`: look after the evidence store."""

import sys

from verifier.cli.kb import main

if __name__ == "__main__":
    sys.exit(main())
