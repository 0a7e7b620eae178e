"""Template expressions: mined from documents, read, written, matched and removed (Foschini 2007)."""
