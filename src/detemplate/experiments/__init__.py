"""The papers' experiments, repeated on labelled pages: one folder each, one call each (``run_…``)."""
