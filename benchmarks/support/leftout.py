"""Scores of method auto on sites whose families its model has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from detemplate.detectors.auto.model import model_of
from detemplate.errors import UserError
from detemplate.training.crossvalidate import family
from lab.labelled.catalogue import PRODUCTS
from lab.labelled.measure import Method, SetScores, measure_by_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from lab.labelled.pages import LabelledSet


@dataclass(frozen=True, slots=True)
class UnseeingModel:
    """A model, the families that it has not seen, and the patterns that name families."""

    path: str
    families: frozenset[str]
    patterns: tuple[str, ...]


def unseeing_models(folder: Path) -> list[UnseeingModel]:
    """Read what the models ``*.model`` of a folder have not seen; UserError where there are none."""
    models = []
    for path in sorted(folder.glob("*.model")):
        about = model_of(str(path)).about
        if "left out" not in about:
            raise UserError(f"{path} does not say which families it has not seen; write it with --left-out")
        patterns = tuple(about.get("families", ()))
        models.append(UnseeingModel(str(path), frozenset(about["left out"]), patterns))
    if not models:
        raise UserError(f"no *.model in {folder}: python -m lab.auto --left-out DIR writes one a fold")
    return models


def unseeing_method(models: Sequence[UnseeingModel], site: str) -> Method:
    """Return method auto with the model that has not seen a site's family; any, if none has."""
    unseen = (each for each in models if family(site, each.patterns) in each.families)
    return Method("auto", (("model", next(unseen, models[0]).path),))


def left_out_sets(sets: Iterable[LabelledSet]) -> list[LabelledSet]:
    """Choose the sets to score: all sites, and what models may learn from."""
    return [each for each in sets if each.kind == "site" or (each.part == "train" and each.name != PRODUCTS)]


def measure_left_out(models: list[UnseeingModel], labelled: LabelledSet) -> SetScores:
    """Score each site of a set by the model that has not seen its family; it learns from the site's pages."""
    return measure_by_site(lambda site: unseeing_method(models, site), labelled)
