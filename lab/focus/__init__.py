"""Focused crawls with and without knowledge of templates (Bar-Yossef & Rajagopalan 2002, sec. 4, case 2)."""
