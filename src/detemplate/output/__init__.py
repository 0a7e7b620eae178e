"""A page's result, and its rendering as HTML, text and Markdown."""
