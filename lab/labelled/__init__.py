"""Labelled pages and their gold, labels of segments, and scores of texts; cleaning needs none of this."""
