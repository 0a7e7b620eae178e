"""What is measured about the nodes and the segments of a page."""
