"""Means over the pages of a group, by setting: F-measures and the adjusted Rand index, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.pagelevel import BASIC, MERGE, SMOOTH
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.pagelevel.counts import BOTH, IDENTIFIED, LABELLED, MEASURES, f_measure
from lab.pagelevel.measure import DEFAULTS, EVERYTHING, HALF, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from lab.pagelevel.measure import GroupOutcome

RAND: Final = len(MEASURES)  # number of the adjusted Rand index, after those of the F-measures of `MEASURES`


class GroupFigures:
    """Means over pages by setting; `variants` has each variant's (δ of ``basic+merge``: the best here)."""

    def __init__(self, group: GroupOutcome, settings: Sequence[Setting]) -> None:
        self.name, self.group = group.name, group
        self._places = {setting: place for place, setting in enumerate(settings)}
        self._counts = np.array([page.counts for page in group.pages])
        rand = np.array([page.rand for page in group.pages])
        self._scores = np.concatenate([f_measure(self._counts), rand[..., np.newaxis]], axis=2)
        self._sections = np.array([page.sections for page in group.pages])
        merges = [setting for setting in settings if setting.variant == MERGE]
        self.variants = {
            EVERYTHING: Setting(EVERYTHING),
            BASIC: Setting(BASIC),
            MERGE: max(merges, key=lambda setting: self.mean(setting, RAND)),
            SMOOTH: Setting(SMOOTH),
        }

    def _of(self, setting: Setting | str, score: int) -> npt.NDArray[np.float64]:
        """Return the pages' scores with a setting, or with the one that stands for a variant."""
        chosen = self.variants[setting] if isinstance(setting, str) else setting
        return self._scores[:, self._places[chosen], score]

    def mean(self, setting: Setting | str, score: int) -> float:
        """Average a score over pages; NaN where no page has it."""
        return _mean(self._of(setting, score))

    def estimate(self, setting: Setting | str, score: int) -> Estimate:
        """Average a score over pages, with its interval from resampling sites."""
        return self._estimate(self._of(setting, score))

    def gain(self, setting: Setting | str, other: Setting | str, score: int) -> Estimate:
        """Average over pages how much greater a score is with `setting` than with `other`."""
        return self._estimate(self._of(setting, score) - self._of(other, score))

    def sections(self, setting: Setting) -> float:
        """Average the number of sections of a page."""
        return float(self._sections[:, self._places[setting]].mean())

    @property
    def labelled_sections(self) -> float:
        """Mean number of sections of a page that the labels make."""
        return float(np.mean([page.labelled_sections for page in self.group.pages]))

    @property
    def oracle(self) -> float:
        """Mean F1 of the content segments as an extractor's output."""
        return float(np.mean([page.oracle for page in self.group.pages]))

    @property
    def template_share(self) -> list[float]:
        """Shares of the words, of the words inside links, and of the links that are labelled template."""
        total = self._counts[:, self._places[Setting(EVERYTHING)]].sum(axis=0)
        return [float(counts[LABELLED] / max(counts[IDENTIFIED], 1)) for counts in total]

    def pooled(self, setting: Setting, measure: int) -> tuple[float, float, float]:
        """Compute precision, recall and F over the words (links) of all pages together."""
        counts = self._counts[:, self._places[setting], measure].sum(axis=0)
        precision = counts[BOTH] / counts[IDENTIFIED] if counts[IDENTIFIED] else 0.0
        recall = counts[BOTH] / counts[LABELLED] if counts[LABELLED] else 0.0
        return float(precision), float(recall), float(np.nan_to_num(f_measure(counts)))

    def _estimate(self, values: npt.NDArray[np.float64]) -> Estimate:
        known = ~np.isnan(values)
        if not known.any():
            return Estimate(float("nan"), float("nan"), float("nan"))
        sites = np.array(self.group.sites)[known].tolist()
        return bootstrap_mean(values[known].tolist(), sites)


def _mean(values: npt.NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def over_groups(figures: Sequence[GroupFigures], setting: Setting | str) -> list[float]:
    """Average all scores of a setting over groups that weigh the same."""
    return [
        _mean(np.array([each.mean(setting, score) for each in figures])) for score in range(len(MEASURES) + 1)
    ]


def smooth_settings(settings: Sequence[Setting], penalty: str = DEFAULTS.penalty) -> list[Setting]:
    """Select the settings that smooth with one form of penalty, ordered by factor."""
    return [
        setting
        for setting in settings
        if setting.variant == SMOOTH and setting.penalty == penalty and setting.threshold == HALF
    ]


def threshold_settings(settings: Sequence[Setting], variant: str) -> list[Setting]:
    """Select the settings of a variant with the default penalty, ordered by threshold."""
    default = Setting(variant)
    of_variant = [setting for setting in settings if setting._replace(threshold=HALF) == default]
    return sorted(of_variant, key=lambda setting: setting.threshold)


def figures_row(each: GroupFigures, setting: Setting) -> dict[str, object]:
    """Return all figures of a group with one setting: a row of the results."""
    row: dict[str, object] = {"set": each.name, **setting._asdict(), "sections": each.sections(setting)}
    for place, measure in enumerate(MEASURES):
        row[f"F {measure}"] = each.estimate(setting, place)
        pooled = zip(("pooled P", "pooled R", "pooled F"), each.pooled(setting, place), strict=True)
        row |= {f"{name} {measure}": value for name, value in pooled}
    row["adjusted Rand"] = each.estimate(setting, RAND)
    return row
