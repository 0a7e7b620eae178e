"""Parts of the benchmarks: made data, processes, scores, gates, reports."""
