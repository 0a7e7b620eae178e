"""Other extractors, to compare with: each with its defaults, and a time limit a page."""
