"""Finding duplicates by shingles, with and without templates (Chakrabarti, Kumar, Punera 2007, sec. 6.2)."""
