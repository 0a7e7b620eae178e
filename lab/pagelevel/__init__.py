"""Page-level template detection and its smoothing (Chakrabarti, Kumar, Punera 2007, section 6.1)."""
