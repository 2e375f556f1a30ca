"""Past checks: the log, why a verdict changed, and feedback."""
