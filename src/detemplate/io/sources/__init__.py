"""Sources: pages from WARC, JSON Lines, Parquet, HTML and plain-text files."""
