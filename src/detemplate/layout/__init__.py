"""Layouts from a browser: the installed Chromium renders a page, its boxes are mapped onto our rows."""
