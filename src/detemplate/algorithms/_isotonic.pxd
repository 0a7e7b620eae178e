# cython: language_level=3
# What other kernels call of the kernel of tree smoothing.

cdef int smooth_hanging(
    int groups, int leaves, int* above, int* group, Py_ssize_t stride, double* x, double* weight,
    double penalty, int steps, double* score,
) except? -1
