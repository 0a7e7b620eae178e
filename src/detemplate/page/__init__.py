"""A web page: its markup parsed once, kept as columns, and what can be read off them."""
