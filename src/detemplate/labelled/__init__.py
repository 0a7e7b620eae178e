"""Measuring: scores, labelled sets, peers, and the runs that compare them.

This package imports the product; nothing of the product imports it.
"""
