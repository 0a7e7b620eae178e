"""What is measured about a page: features of its nodes and of its segments, for learned methods."""
