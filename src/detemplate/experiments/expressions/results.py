"""Everything the experiment on template expressions measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detemplate.experiments.expressions.mirrors import Pair
    from detemplate.experiments.expressions.runs import Row
    from detemplate.experiments.expressions.sources import Sources
    from detemplate.labelled.measure import Figures


@dataclass(slots=True)
class Results:
    """All that was measured.

    Attributes
    ----------
    sources
        What collections were made of.
    seeds
        The seeds.
    rows
        Injection, a row each collection, level, locality and part.
    pairs
        Mirrors.
    quality
        Figures of methods on the labelled sites, by label and set.
    """

    sources: Sources
    seeds: tuple[int, ...]
    rows: list[Row] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    quality: dict[str, dict[str, Figures]] = field(default_factory=dict)
