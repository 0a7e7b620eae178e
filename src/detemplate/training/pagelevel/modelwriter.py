"""Writing a trained model as the JSON file that :mod:`detemplate.detectors.pagelevel.model` reads."""

from __future__ import annotations

import json
import platform
import re
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate._version import __version__
from detemplate.detectors.pagelevel.model import FORMAT, VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.training.pagelevel.crossvalidate import Fold
    from detemplate.training.pagelevel.sample import Sample

_NUMBERS: Final = re.compile(r"\[\s*([-\d.e+\s,]+?)\s*\]")


def model_json(model: PageModel, sample: Sample, folds: Sequence[Fold], command: str) -> bytes:
    """Give a model as JSON, a line a list of numbers.

    Parameters
    ----------
    model
        The classifiers.
    sample
        What they were trained on.
    folds
        What cross-validation found; empty if there was none.
    command
        The command that trained it.

    Returns
    -------
    bytes
        UTF-8. The same sample, folds and command give the same bytes, with the same versions of libraries.
    """
    which = np.searchsorted(model.cuts, sample.area, "right")
    given: dict[str, Any] = {
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
    written = json.dumps(given, indent=1, ensure_ascii=False)
    return (_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", written) + "\n").encode()


def _plain(numbers: npt.NDArray[np.float64]) -> list[float]:
    return [float(number) for number in numbers]
