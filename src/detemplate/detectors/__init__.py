"""The methods that find templates: a file or a package each, listed in ``registry.py``."""
