"""Means over the pages of a group: F-measures and adjusted Rand indices, with intervals; as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.pagelevel.counts import BOTH, IDENTIFIED, LABELLED, MEASURES, f_measure
from lab.pagelevel.runs import DEFAULTS, EVERYTHING, HALF, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from lab.pagelevel.runs import GroupOutcome

    Reals = npt.NDArray[np.float64]


class Pooled(NamedTuple):
    """Precision, recall and F over the words (links) of all pages together."""

    precision: float
    """Precision, in [0, 1]; 0 where nothing is identified."""
    recall: float
    """Recall, in [0, 1]; 0 where nothing is labelled template."""
    f: float
    """Harmonic mean of precision and recall."""


class GroupFigures:
    """Means over the pages of a group, by setting.

    Parameters
    ----------
    group
        Results of the group, with at least one page.
    settings
        The settings, in the order of the results' entries.

    Attributes
    ----------
    name
        Name of the group.
    group
        Results of the group.
    variants
        The setting that stands for each variant: the default penalty; for ``basic+merge`` the δ with the
        greatest adjusted Rand index on this very group, as in the paper.
    """

    def __init__(self, group: GroupOutcome, settings: Sequence[Setting]) -> None:
        self.name, self.group = group.name, group
        self._places = {setting: place for place, setting in enumerate(settings)}
        self._counts = np.array([page.counts for page in group.pages])
        self._f = f_measure(self._counts)
        self._rand = np.array([page.rand for page in group.pages])
        self._sections = np.array([page.sections for page in group.pages])
        merges = [setting for setting in settings if setting.variant == MERGE]
        self.variants = {
            EVERYTHING: Setting(EVERYTHING),
            BASIC: Setting(BASIC),
            MERGE: max(merges, key=self.rand_mean),
            SMOOTH: Setting(SMOOTH),
        }

    def f(self, setting: Setting, measure: int) -> Estimate:
        """Average the F-measure over the pages with any template of this measure."""
        return self._estimate(self._f[:, self._places[setting], measure])

    def gain(self, setting: Setting, other: Setting, measure: int) -> Estimate:
        """Average over pages how much greater the F-measure of `setting` is than that of `other`."""
        one, two = (self._f[:, self._places[each], measure] for each in (setting, other))
        return self._estimate(one - two)

    def rand(self, setting: Setting) -> Estimate:
        """Average the adjusted Rand index over the pages with two labelled segments or more."""
        return self._estimate(self._rand[:, self._places[setting]])

    def rand_gain(self, setting: Setting, other: Setting) -> Estimate:
        """Average over pages how much greater the Rand index of `setting` is than that of `other`."""
        return self._estimate(self._rand[:, self._places[setting]] - self._rand[:, self._places[other]])

    def f_mean(self, setting: Setting, measure: int) -> float:
        """Return the mean of :meth:`f`, without its interval."""
        return _mean(self._f[:, self._places[setting], measure])

    def rand_mean(self, setting: Setting) -> float:
        """Return the mean of :meth:`rand`, without its interval."""
        return _mean(self._rand[:, self._places[setting]])

    def sections(self, setting: Setting) -> float:
        """Average the number of sections of a page."""
        return float(self._sections[:, self._places[setting]].mean())

    @property
    def labelled_sections(self) -> float:
        """Mean number of sections of a page that the labels make."""
        return float(np.mean([page.labelled_sections for page in self.group.pages]))

    @property
    def template_share(self) -> list[float]:
        """Shares of the words, of the words inside links, and of the links that are labelled template."""
        total = self._counts[:, self._places[Setting(EVERYTHING)]].sum(axis=0)
        return [float(counts[LABELLED] / max(counts[IDENTIFIED], 1)) for counts in total]

    def pooled(self, setting: Setting, measure: int) -> Pooled:
        """Compute precision, recall and F over all pages together."""
        counts = self._counts[:, self._places[setting], measure].sum(axis=0)
        precision = counts[BOTH] / counts[IDENTIFIED] if counts[IDENTIFIED] else 0.0
        recall = counts[BOTH] / counts[LABELLED] if counts[LABELLED] else 0.0
        return Pooled(float(precision), float(recall), float(np.nan_to_num(f_measure(counts))))

    def _estimate(self, values: Reals) -> Estimate:
        """Average over pages; NaN is left out. The interval comes from resampling sites."""
        known = ~np.isnan(values)
        if not known.any():
            return Estimate(float("nan"), float("nan"), float("nan"))
        sites = np.array(self.group.sites)[known].tolist()
        return bootstrap_mean(values[known].tolist(), sites)


def _mean(values: Reals) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def over_groups(
    figures: Sequence[GroupFigures], settings: Sequence[Setting]
) -> list[tuple[Setting, list[float]]]:
    """Average over groups that weigh the same: F of text, anchor text and links; adjusted Rand index."""
    return [
        (
            setting,
            [
                *(
                    _mean(np.array([each.f_mean(setting, m) for each in figures]))
                    for m in range(len(MEASURES))
                ),
                _mean(np.array([each.rand_mean(setting) for each in figures])),
            ],
        )
        for setting in settings
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


def as_dict(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> dict[str, object]:
    """Convert all figures to a dictionary that JSON can represent: 5 decimals, None for NaN."""

    def number(value: float) -> float | None:
        return None if np.isnan(value) else round(float(value), 5)

    def record(each: GroupFigures, setting: Setting) -> dict[str, object]:
        fields: dict[str, object] = {**setting._asdict(), "sections": number(each.sections(setting))}
        for place, measure in enumerate(MEASURES):
            fields[measure] = {
                "f": [number(value) for value in each.f(setting, place)],
                "pooled": [number(value) for value in each.pooled(setting, place)],
            }
        fields["adjusted rand"] = [number(value) for value in each.rand(setting)]
        return fields

    return {
        each.name: {
            "pages": len(each.group.pages),
            "sites": len(set(each.group.sites)),
            "skipped": each.group.skipped,
            "rendered": each.group.rendered,
            "oracle_f1": number(float(np.mean(each.group.oracle))),
            "template_share": dict(zip(MEASURES, map(number, each.template_share), strict=True)),
            "labelled_sections": number(each.labelled_sections),
            "best_delta": each.variants[MERGE].delta,
            "settings": [record(each, setting) for setting in settings],
        }
        for each in figures
    }
