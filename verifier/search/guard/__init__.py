"""Guard the search engines that checks use: limits, budgets, breakers and the cache."""
