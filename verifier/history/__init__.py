"""Keep past checks: the log, why a verdict changed, and feedback."""
