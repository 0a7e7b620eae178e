"""Sinks: results as JSON Lines, Parquet, WARC or a directory of files."""
