"""Incremental detection compared with detection in batches, at equal recall (Wang et al. 2008, section 3)."""
