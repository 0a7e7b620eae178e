# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.decision`: smoothing by repetition, and scores.

Numbers are added in the order of the reference's, so that both give the same to the last bit. Written in
Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._isotonic import smooth_hanging
from cython.cimports.detemplate.algorithms._sigmoid import probability
from cython.cimports.detemplate.detectors.auto._decision import HALF, REPEATED_PENALTY, SPREAD, STEPS, TINY
from cython.cimports.libc.stdlib import free, malloc

Reals = cython.typedef(cython.p_double)
Rows = cython.typedef(cython.p_int)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def spread(content: cython.double, template: cython.double) -> cython.double:
    """Give a smoothed content probability: within a section the order that the forests gave stays."""
    return (1 - template) + (content - (1 - template)) * (SPREAD / STEPS)


def smoothed(
    odds: cython.double[::1],
    alone: cython.double[::1],
    share: cython.double[:],
    group: cython.int[:],
    above: cython.int[::1],
    weight: cython.double[::1],
    penalty: cython.double,
    content: cython.double[::1],
) -> None:
    """Fill ``content``; there are at least two segments."""
    count: cython.int = cython.cast(cython.int, odds.shape[0])
    groups: cython.int = cython.cast(cython.int, above.shape[0])
    i: cython.int
    likely: cython.int = 0
    if not count == alone.shape[0] == share.shape[0] == group.shape[0] == weight.shape[0] == content.shape[0]:
        raise ValueError("the columns differ in length")
    if count < 1:
        raise ValueError("the columns are empty")
    stride: cython.Py_ssize_t = group.strides[0] // cython.sizeof(cython.int)
    top: Rows = cython.address(above[0]) if groups else cython.NULL
    scored: Reals = cython.cast(Reals, malloc(3 * count * cython.sizeof(cython.double)))
    if scored == cython.NULL:
        raise MemoryError
    template: Reals = scored + count
    score: Reals = template + count
    try:
        for i in range(count):
            scored[i] = probability(odds[i])
            template[i] = 1 - scored[i]
            likely += share[i] > 0 and alone[i] > HALF
        smooth_hanging(
            groups, count, top, cython.address(group[0]), stride, template, cython.address(weight[0]), penalty,
            STEPS, score,
        )  # fmt: skip
        for i in range(count):
            content[i] = spread(scored[i], score[i])
            if share[i] > 0 and not alone[i] > HALF:
                content[i] = min(content[i], scored[i])
        if likely:
            smooth_hanging(
                groups, count, top, cython.address(group[0]), stride, template, cython.address(weight[0]),
                REPEATED_PENALTY * penalty, STEPS, score,
            )  # fmt: skip
            for i in range(count):
                if share[i] > 0 and alone[i] > HALF:
                    content[i] = max(content[i], spread(scored[i], score[i]))
    finally:
        free(scored)


def finished(
    content: cython.double[::1],
    cut: cython.double,
    kept: cython.uchar[::1],
    removed: cython.uchar[::1],
    scores: cython.float[::1],
) -> None:
    """Fill ``scores``, and change ``content``."""
    i: cython.Py_ssize_t
    template: cython.double
    if not content.shape[0] == kept.shape[0] == removed.shape[0] == scores.shape[0]:
        raise ValueError("the columns differ in length")
    for i in range(content.shape[0]):
        if kept[i]:
            content[i] = 1
        if removed[i]:
            content[i] = 0
        content[i] = min(max(content[i], TINY), 1 - TINY)
        template = (1 - content[i]) * cut
        scores[i] = cython.cast(cython.float, template / (template + content[i] * (1 - cut)))
