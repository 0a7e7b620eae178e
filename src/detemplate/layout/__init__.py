"""Layouts: where the nodes of a page stand and how large they are, estimated or taken from a browser."""
