"""Labelled pages: the sets and their gold, labels of segments, and how well extracted texts agree with the gold.

Training, the papers' experiments and the benchmarks read labelled pages; cleaning needs none of this.
"""
