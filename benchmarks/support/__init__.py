"""What the benchmarks share and no user needs."""
