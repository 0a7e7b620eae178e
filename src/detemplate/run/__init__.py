"""Runs: cleaning pages, and every other pass over an input."""
