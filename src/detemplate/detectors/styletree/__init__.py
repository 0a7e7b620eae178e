"""Method ``styletree``: the Site Style Tree of a site's pages."""
