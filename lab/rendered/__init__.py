"""Page-level detection on layouts of a browser, the setting of its paper (Chakrabarti et al. 2007)."""
