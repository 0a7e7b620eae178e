"""Ranking by links with and without templates, on made webs (Bar-Yossef & Rajagopalan 2002, section 5)."""
