"""Training the model of method ``auto`` from labelled pages."""
