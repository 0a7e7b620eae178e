"""Classifying pages with and without templates (Chakrabarti, Kumar, Punera 2007, section 6.3)."""
