"""Writing a trained model as the JSON file that :mod:`detemplate.detectors.pagemodel` reads."""

from __future__ import annotations

import json
import platform
import re
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate._version import __version__
from detemplate.detectors.pagemodel import FORMAT, VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.detectors.pagemodel import PageModel
    from detemplate.training.crossvalidate import Fold
    from detemplate.training.sample import Sample

_NUMBERS: Final = re.compile(r"\[\s*([-\d.e+\s,]+?)\s*\]")
"""A list of numbers in indented JSON."""


def model_json(model: PageModel, sample: Sample, folds: Sequence[Fold], command: str) -> bytes:
    """Return a model as JSON; each list of numbers stands on one line.

    ``sample``: the training data.
    ``folds``: figures of the cross-validation; empty if there was none.
    ``command``: the command that trained the model.
    Returns: UTF-8. The same sample, folds, command and versions of libraries give the same bytes.
    """
    which = np.searchsorted(model.cuts, sample.area, "right")
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "command": command,
        "made_with": {
            "detemplate": __version__,
            "numpy": version("numpy"),
            "python": platform.python_version(),
            "scikit-learn": version("scikit-learn"),
        },
        "layout": model.layout,
        "min_area": model.min_area,
        "features": list(model.names),
        "cut_points": _plain(model.cuts),
        "classifiers": [
            {
                "nodes": int(np.count_nonzero(which == number)),
                "template_nodes": int(np.count_nonzero(sample.template[which == number])),
                "intercept": float(model.intercepts[number]),
                "coefficients": _plain(model.coefficients[number]),
                "means": _plain(model.means[number]),
                "scales": _plain(model.scales[number]),
            }
            for number in range(len(model.intercepts))
        ],
        "cross_validation": [asdict(fold) for fold in folds],
        "sites": {site.name: {"pages": site.pages, "nodes": site.nodes} for site in sample.sites},
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    return (_NUMBERS.sub(lambda numbers: f"[{' '.join(numbers[1].split())}]", text) + "\n").encode()


def _plain(numbers: npt.NDArray[np.float64]) -> list[float]:
    """Convert an array to Python floats, for JSON."""
    return [float(number) for number in numbers]
