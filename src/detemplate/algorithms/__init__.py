"""Pure algorithms, no web in them; the compiled kernels."""
