"""Sources: pages from web archives, JSON, tables, databases, archives of files, HTML and plain-text files."""
