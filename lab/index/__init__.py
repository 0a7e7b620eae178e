"""An index without templates: its size, and what searches find in it (Rowlands, Thomas, Wan 2009, sec. 4)."""
