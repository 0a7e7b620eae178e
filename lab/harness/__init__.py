"""What experiments and benchmarks share: options, runs, tables, charts."""
