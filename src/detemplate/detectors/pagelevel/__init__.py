"""Method ``pagelevel``: a trained classifier of a page's nodes, smoothed over the DOM tree."""
