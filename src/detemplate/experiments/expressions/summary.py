"""Means over collections and mirrors, with intervals, and all of them as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.experiments.expressions.injection import SHARES, ratio
from detemplate.experiments.expressions.mirrors import METHODS
from detemplate.experiments.expressions.runs import DEFAULT, ONE, Setting
from detemplate.experiments.expressions.slots import KINDS
from detemplate.labelled.bootstrap import bootstrap_mean
from detemplate.labelled.tables import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from detemplate.experiments.expressions.mirrors import Pair
    from detemplate.experiments.expressions.results import Results
    from detemplate.experiments.expressions.runs import Row
    from detemplate.expressions.remove import Locality
    from detemplate.labelled.bootstrap import Estimate

ALL_SHARES: Final = (1.0, *SHARES)
OFTEN: Final = 0.5
"""Blocks that so many documents have are above any cut-off of the histogram."""
DISTANCES: Final = ("distance", "to_clean", "equal")
_BASE: Final = Setting()


def select(
    results: Results,
    setting: Setting = _BASE,
    level: str = ONE,
    *,
    held: bool = True,
    locality: Locality = DEFAULT,
) -> list[Row]:
    """Give the rows of one setting, one a collection."""
    wanted = (setting, level, held, locality)
    return [row for row in results.rows if (row.setting, row.level, row.held, row.locality) == wanted]


def sizes(results: Results) -> list[int]:
    """Give the numbers of documents that were tried with all else as by default."""
    return sorted(
        {row.setting.documents for row in results.rows if row.setting == Setting(row.setting.documents)}
    )


def estimate(rows: Iterable[Row], figure: Callable[[Row], float | None]) -> Estimate | None:
    """Average a figure over rows; intervals from resampling sites. None where no row has it."""
    known = [(value, row.site) for row in rows if (value := figure(row)) is not None]
    return bootstrap_mean([value for value, _ in known], [site for _, site in known]) if known else None


def recall(row: Row) -> float | None:
    """Give the share of the injected characters that are removed."""
    return row.tally.recall


def precision(row: Row) -> float | None:
    """Give the share of the removed characters that were injected."""
    return row.tally.precision


def lost(row: Row) -> float | None:
    """Give the share of the clean text that is removed."""
    return row.tally.lost


def at_share(share: float) -> Callable[[Row], float | None]:
    """Give the recall on the blocks that this share of the documents have."""
    return lambda row: ratio(row.tally.blocks[[own == share for own in row.shares]].sum(axis=0))


def at_place(place: str) -> Callable[[Row], float | None]:
    """Give the recall on the blocks at this place that `OFTEN` of the documents have."""

    def figure(row: Row) -> float | None:
        chosen = [own == place and share >= OFTEN for own, share in zip(row.places, row.shares, strict=True)]
        return ratio(row.tally.blocks[chosen].sum(axis=0))

    return figure


def at_kind(number: int) -> Callable[[Row], float | None]:
    """Give the recall on the characters of one kind of slot, in blocks that `OFTEN` of the documents have."""
    return lambda row: ratio(row.tally.slots[[share >= OFTEN for share in row.shares], number].sum(axis=0))


def mirrors(results: Results, setting: Setting, method: str) -> tuple[Estimate, ...]:
    """Average over pairs of mirrors: `DISTANCES`."""
    found = [pair for pair in results.pairs if pair.setting == setting and pair.method == method]
    return tuple(_over_pairs(found, name) for name in DISTANCES)


def _over_pairs(pairs: Sequence[Pair], name: str) -> Estimate:
    return bootstrap_mean([getattr(pair, name) for pair in pairs], [pair.sites for pair in pairs])


def as_dict(results: Results) -> dict[str, Any]:
    """Turn the results into what JSON can hold.

    Returns
    -------
    dict
        ``injection``: a record for each setting, level, locality and part, with means as
        ``[mean, low, high]`` and each site's recall and precision; ``mirrors``; ``quality``.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in results.rows:
        groups.setdefault((row.setting, row.level, row.locality, row.held), []).append(row)
    return {
        "seeds": results.seeds,
        "documents": {language: len(texts) for language, texts in sorted(results.sources.documents.items())},
        "templates": {
            template.site: sum(map(len, template.lines)) for template in results.sources.templates
        },
        "injection": [_injection(key, rows) for key, rows in groups.items()],
        "mirrors": [
            {
                **asdict(setting), "method": method,
                **dict(zip(DISTANCES, map(_rounded, mirrors(results, setting, method)), strict=True)),
            }
            for setting in dict.fromkeys(pair.setting for pair in results.pairs)
            for method in METHODS
        ],
        "quality": {label: to_json(summary) for label, summary in results.quality.items()},
    }  # fmt: skip


def _injection(key: tuple[Any, ...], rows: Sequence[Row]) -> dict[str, Any]:
    setting, level, locality, held = key
    record = {
        **asdict(setting),
        "level": level,
        **asdict(locality),
        "cleaned": "held out" if held else "mined",
    }
    figures = {"recall": recall, "precision": precision, "lost": lost}
    record |= {name: _rounded(estimate(rows, figure)) for name, figure in figures.items()}
    record["recall_by_share"] = {
        f"{share:g}": _rounded(estimate(rows, at_share(share))) for share in ALL_SHARES
    }
    kinds = {kind: _rounded(estimate(rows, at_kind(number))) for number, kind in enumerate(KINDS)}
    record["recall_by_slot"] = {kind: value for kind, value in kinds.items() if value is not None}
    record["sites"] = {
        site: {
            name: _mean(value for row in rows if row.site == site and (value := figure(row)) is not None)
            for name, figure in (("recall", recall), ("precision", precision))
        }
        for site in sorted({row.site for row in rows})
    }
    return record


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return round(float(np.mean(known)), 5) if known else None


def _rounded(value: Estimate | None) -> list[float] | None:
    return None if value is None else [round(part, 5) for part in value]
