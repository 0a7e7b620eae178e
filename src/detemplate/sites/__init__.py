"""The name of a page's site, and the detectors of all sites of a run."""
