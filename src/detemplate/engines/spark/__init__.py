"""Cleaning, templates and learning on Spark."""
