"""Running it."""
