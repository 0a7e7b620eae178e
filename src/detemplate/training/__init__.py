"""Training of the methods that need a model, ``auto`` and ``pagelevel``."""
