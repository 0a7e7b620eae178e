"""Method ``expressions``: template expressions mined from a site's pages."""
