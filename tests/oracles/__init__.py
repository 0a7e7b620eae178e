"""What kernels compute, stated plainly in Python and NumPy: tests compare the two."""
