"""Files that are written whole or not at all, and JSON for any value."""
