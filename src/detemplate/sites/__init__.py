"""Per-site state: naming a site, keeping its detector."""
