"""The tables of a crawl (pages, pagelets, links), and template detection over them."""
