"""Self-made training data and the classifiers that are trained on it."""
