"""The page-level classifier as a small file, and its application with nothing but NumPy.

Chakrabarti, Kumar, Punera 2007, section 5.2: four logistic regressions, one per range of node area. The
file is JSON: what it was trained on and how, then for each range of areas an intercept and each feature's
coefficient, mean and scale. ``docs/methods/pagelevel.md`` describes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.modelreader import ModelFiles
from detemplate.features.node import NAMES
from detemplate.layout.layout import ESTIMATED, RENDERED

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

FORMAT: Final = "detemplate page-level model"
VERSION: Final = 1
SHIPPED: Final = Path(__file__).parent / "pagelevel.json"
"""The model that the package brings."""

"""Log-odds beyond are cut: exp must not overflow, and the scores stay different from 0 and 1."""


@dataclass(frozen=True, slots=True)
class PageModel:
    """Four logistic regressions by node area.

    Attributes
    ----------
    names
        The features, names of :data:`detemplate.features.node.NAMES`.
    cuts
        The areas in square pixels where the next classifier begins, ascending: one fewer than there are
        classifiers.
    coefficients, means, scales
        One row a classifier, one column a feature. A feature is standardised with mean and scale first.
    intercepts
        One a classifier.
    min_area
        Nodes of smaller area were not among the training data, square pixels.
    layout
        Which layouts it was trained with: ``"estimated"`` or ``"rendered"``.
    """

    names: tuple[str, ...]
    cuts: Reals
    coefficients: Reals
    means: Reals
    scales: Reals
    intercepts: Reals
    min_area: float
    layout: str

    def terms(self, table: npt.NDArray[np.float32], area: npt.NDArray[np.floating]) -> Reals:
        """Give what each feature adds to the log-odds of nodes being template.

        Parameters
        ----------
        table
            Features of nodes, as :func:`detemplate.features.node.node_features` gives them.
        area
            Area of each, square pixels.

        Returns
        -------
        array of float64, nodes × features
        """
        own = [NAMES.index(name) for name in self.names]
        which = np.searchsorted(self.cuts, area, "right")
        terms = table[:, own].astype(np.float64)
        terms -= self.means[which]
        terms *= (self.coefficients / self.scales)[which]
        return terms

    def scores(self, table: npt.NDArray[np.float32], area: npt.NDArray[np.floating]) -> Reals:
        """Give the probability of each node being template; parameters as for :meth:`terms`."""
        which = np.searchsorted(self.cuts, area, "right")
        odds = self.terms(table, area).sum(axis=1) + self.intercepts[which]
        return sigmoid(odds)


def parse_model(data: bytes) -> PageModel:
    """Read a model's JSON.

    Raises
    ------
    ValueError
        It is no model; the message says what is wrong.
    """
    try:
        given = json.loads(data)
    except ValueError as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError("it does not say that it is one")
    if given.get("version") != VERSION:
        raise ValueError(f"its version is {given.get('version')!r}, not {VERSION}")
    if given.get("layout") not in {ESTIMATED, RENDERED}:
        raise ValueError(f"its layout is {given.get('layout')!r}")
    names, classifiers = given.get("features"), given.get("classifiers")
    if not isinstance(names, list) or not names or not isinstance(classifiers, list) or not classifiers:
        raise ValueError("it lacks features or classifiers")
    unknown = [name for name in names if name not in NAMES]
    if unknown or len(set(names)) < len(names):
        raise ValueError(f"it has unknown features or one twice: {unknown or names}")
    cuts = _numbers(given.get("cut_points"), len(classifiers) - 1, "cut_points")
    if (np.diff(cuts) < 0).any():
        raise ValueError("its cut_points do not ascend")
    columns = {"coefficients": 0, "means": 1, "scales": 2}
    tables = np.array(
        [[_numbers(_of(each, name), len(names), name) for name in columns] for each in classifiers]
    )
    if (tables[:, 2] <= 0).any():
        raise ValueError("its scales are not all above 0")
    return PageModel(
        tuple(names), cuts, tables[:, 0], tables[:, 1], tables[:, 2],
        _numbers([_of(each, "intercept") for each in classifiers], len(classifiers), "intercept"),
        float(_numbers([given.get("min_area")], 1, "min_area")[0]), given["layout"],
    )  # fmt: skip


def _of(classifier: object, name: str) -> Any:  # noqa: ANN401
    return classifier.get(name) if isinstance(classifier, dict) else None


def _numbers(given: object, count: int, name: str) -> Reals:
    if isinstance(given, list) and len(given) == count and all(type(each) in {int, float} for each in given):
        try:
            numbers = np.array([float(each) for each in given])
        except OverflowError:
            pass
        else:
            if np.isfinite(numbers).all():
                return numbers
    raise ValueError(f"its {name} are not {count} {'number' if count == 1 else 'numbers'}")


_FILES: Final = ModelFiles(SHIPPED, parse_model, "page-level model", "detemplate train")


def model_of(path: str) -> PageModel:
    """Read a model; the shipped one for an empty path. See :meth:`ModelFiles.read`."""
    return _FILES.read(path)
