"""Keep a store healthy: refresh, retention, checks, re-embedding."""
