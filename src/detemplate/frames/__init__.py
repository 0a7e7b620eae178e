"""Cleaning tables of other libraries, or any pages, in one call."""
