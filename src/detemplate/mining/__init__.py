"""Template expressions are mined from crawls, and removed from documents."""
