"""Template expressions: mining them from documents, writing and reading them (Foschini 2007)."""
