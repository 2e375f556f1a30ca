"""What stands between a check and the engines: limits, budgets, breakers and the cache."""
