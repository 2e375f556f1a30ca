"""Hold the long-lived parts around checks: the service, its schedule, its metrics."""
