"""The page-level classifier: reading its model file and applying it with NumPy.

Chakrabarti, Kumar, Punera 2007, section 5.2: four logistic regressions, one per range of node area. The file
is JSON. It tells the training data and settings, and for each range of areas the intercept and each
feature's coefficient, mean and scale. ``docs/methods/pagelevel.md`` describes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.modelreader import ModelFiles
from detemplate.errors import UserError
from detemplate.features.node import NAMES
from detemplate.layout.layout import ESTIMATED, RENDERED

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

FORMAT: Final = "detemplate page-level model"
"""Value of ``format`` in a model file."""

VERSION: Final = 1
"""Version of the file format."""

SHIPPED: Final = Path(__file__).parent / "pagelevel.json"
"""The model file in the package."""


@dataclass(frozen=True, slots=True)
class PageModel:
    """Four logistic regressions by node area.

    ``names``: names of the features, out of :data:`detemplate.features.node.NAMES`.
    ``cuts``: areas at which the next classifier begins, in square pixels, ascending; one fewer than
        classifiers.
    ``coefficients``, ``means``, ``scales``: a row for each classifier, a column for each feature. Features
        are standardised by mean and scale.
    ``intercepts``: a number for each classifier.
    ``min_area``: smallest area of the nodes in the training data, in square pixels.
    ``layout``: kind of layouts that the model was trained with: ``"estimated"`` or ``"rendered"``.
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
        """Return the terms of the log-odds that nodes are template: nodes × features.

        ``table``: their features (:func:`~detemplate.features.node.node_features`). ``area``: in pixels².
        """
        columns = [NAMES.index(name) for name in self.names]
        which = np.searchsorted(self.cuts, area, "right")
        terms = table[:, columns].astype(np.float64)
        terms -= self.means[which]
        terms *= (self.coefficients / self.scales)[which]
        return terms

    def scores(self, table: npt.NDArray[np.float32], area: npt.NDArray[np.floating]) -> Reals:
        """Return the probability that each node is template, from the terms."""
        which = np.searchsorted(self.cuts, area, "right")
        odds = self.terms(table, area).sum(axis=1) + self.intercepts[which]
        return sigmoid(odds)


def parse_model(data: bytes) -> PageModel:
    """Read a model from JSON; raises ValueError with the reason for what is no model."""
    try:
        given = json.loads(data)
    except ValueError as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
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
    """Return an entry of a classifier; None if there is none."""
    return classifier.get(name) if isinstance(classifier, dict) else None


def _numbers(given: object, count: int, name: str) -> Reals:
    """Return a list of JSON as an array; raise ValueError unless it has ``count`` finite numbers."""
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


def check_layouts(path: str, *, rendered: bool) -> PageModel:
    """Read a model for browser layouts (``rendered``) or estimates. UserError if it has learned others."""
    model = model_of(path)
    name = f"the model {path}" if path else "the shipped model"
    if rendered and model.layout != RENDERED:
        raise UserError(
            f"{name} was trained with estimated layouts: give a model that was trained with a layout file "
            "(detemplate train --layout FILE), or no layout file"
        )
    if not rendered and model.layout != ESTIMATED:
        raise UserError(f"{name} was trained with rendered layouts: give a file of browser layouts, too")
    return model


def model_of(path: str) -> PageModel:
    """Read a model; an empty path is the shipped one. See :meth:`ModelFiles.read`."""
    return _FILES.read(path)
