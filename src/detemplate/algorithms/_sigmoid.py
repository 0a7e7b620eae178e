# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.sigmoid`, with the exponential function of the C library.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._sigmoid import probability


def fill(odds: cython.double[::1], found: cython.double[::1]) -> None:
    """Fill ``found`` with probabilities."""
    i: cython.Py_ssize_t
    if found.shape[0] < odds.shape[0]:
        raise ValueError("the array is too short")
    for i in range(odds.shape[0]):
        found[i] = probability(odds[i])
