"""What a page is: parsed once, kept as columns."""
