"""Training of method ``pagelevel``: labels from the sites themselves, sampling, classifiers, model files."""
