"""Pages, links and pagelets as tables, and the algorithms over them."""
