"""Training the model of method ``pagelevel``: from a source of pages to a model file."""

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
from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile
from detemplate.io.record import skipped_lines
from detemplate.training.crossvalidate import cross_validate
from detemplate.training.logistic import fit, learn_kit
from detemplate.training.sample import collect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from detemplate.detectors.pagemodel import PageModel
    from detemplate.io.sources.base import Source
    from detemplate.layout.store import LayoutStore
    from detemplate.run.progress import Progress
    from detemplate.training.crossvalidate import Fold
    from detemplate.training.sample import Sample
    from detemplate.training.sampling import Sampling


_NUMBERS: Final = re.compile(r"\[\s*([-\d.e+\s,]+?)\s*\]")  # a list in JSON


def train_pagelevel(
    source: Source,
    output: str,
    sampling: Sampling,
    *,
    folds: int,
    patterns: Sequence[str],
    command: str,
    layouts: LayoutStore | None = None,
    progress: Progress | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Sample nodes of a source's sites, cross-validate, train the classifiers and write the model.

    ``source``: records of many sites.
    ``output``: the model file to write; it is written whole or not at all.
    ``sampling``: which sites, pages and nodes are taken. Its seed is that of the folds, too.
    ``folds``, ``patterns``: as for :func:`~detemplate.training.crossvalidate.cross_validate`.
    ``command``: the command that trains the model; stored in the model.
    ``layouts``: rendered layouts; None: layouts are estimated.
    ``progress``: shows the progress of reading; None: it is not shown.
    ``tell``: takes the lines that report the sample and the folds.
    Raises UserError: the name of the output does not end in .json, the source has too little to learn from,
        the folds do not fit the families, or the file cannot be written.
    Raises MissingExtra: scikit-learn is not installed.
    """
    learn_kit()  # fails before anything is read
    if not output.lower().endswith(".json"):
        raise UserError(f"cannot write {output}: its name must end in .json")
    with AtomicFile(output) as file:
        sample = collect(source, sampling, layouts, progress)
        for line in _sample_lines(sample):
            tell(line)
        results = cross_validate(
            sample, folds=folds, patterns=patterns, seed=sampling.seed, min_area=sampling.min_area
        )
        for number, fold in enumerate(results, 1):
            tell(_fold_line(number, fold))
        model = fit(sample, np.arange(len(sample.area)), sampling.min_area)
        file.write(_model_json(model, sample, results, command))


def _sample_lines(sample: Sample) -> Iterator[str]:
    """Report what was sampled and what was skipped."""
    pages = sum(site.pages for site in sample.sites)
    yield (
        f"{len(sample.area):,} nodes, {np.mean(sample.template):.1%} template, from {pages:,} pages of "
        f"{len(sample.sites):,} sites"
    )
    yield from skipped_lines(sample.skipped)


def _fold_line(number: int, fold: Fold) -> str:
    """Report the figures of a fold."""
    auc = "" if fold.auc is None else f", AUC {fold.auc:.3f}"
    return (
        f"fold {number}: {len(fold.sites):,} sites, {fold.nodes:,} nodes, {fold.template_share:.1%} "
        f"template: accuracy {fold.accuracy:.3f}{auc}, F {fold.f:.3f}"
    )


def _model_json(model: PageModel, sample: Sample, folds: Sequence[Fold], command: str) -> bytes:
    """Return a model as JSON; equal samples, folds, commands and versions of libraries give equal bytes."""
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
