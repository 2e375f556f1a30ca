"""Long-lived parts around checks: the service, its schedule, its metrics."""
