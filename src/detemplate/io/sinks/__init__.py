"""Sinks: results as JSON Lines, CSV, Parquet, Arrow, WARC, a directory of files, or one page."""
