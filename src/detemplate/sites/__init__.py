"""The name of a page's site, the detectors of all sites of a run, and the files that keep them."""
