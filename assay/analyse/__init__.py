"""From raw output to tidy tables, estimates and ratios."""
