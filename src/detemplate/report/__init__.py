"""Progress and pictures for people."""
