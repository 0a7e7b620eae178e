"""Template expressions on injected template, on mirrors and on labelled sites (Foschini 2007, 6.1)."""
