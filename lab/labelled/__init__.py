"""Labelled pages: sets and their gold, labels of segments, and how well texts agree with the gold.

Experiments, benchmarks and the training of ``auto`` read them; cleaning needs none of this.
"""
