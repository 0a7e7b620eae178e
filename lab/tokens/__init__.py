"""Tokens for the training of language models: how many, how often repeated within a site, how fast."""
