"""What the history of a site takes from one cleaned page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

SAMPLE: Final = 24
"""Maximum number of templates that a glance takes from a page."""

TEXTS: Final = 256
"""Texts of which a history keeps the numbers of pages: so many that were removed, and so many kept."""

_MANY: Final = 2048
"""Segments of a page beyond which a glance takes some of their keys."""

WIDTH: Final = 100
"""Characters of a template's text that are kept."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The first characters of some segments' texts, read when they are asked for; pickled as a tuple.

    Attributes
    ----------
    page
        The page.
    numbers
        The segments' numbers.
    """

    page: Page
    numbers: tuple[int, ...]

    def __getitem__(self, index: int) -> str:
        return self.page.segment_text(self.numbers[index])[:WIDTH]

    def __reduce__(self) -> tuple[type[tuple[str, ...]], tuple[list[str]]]:
        return tuple, ([self[index] for index in range(len(self.numbers))],)


class Glance(NamedTuple):
    """What the history of a site takes from one cleaned page."""

    share: float
    """Share of the text's characters that are template."""
    keys: tuple[int, ...]
    """Keys of some of the removed segments, each once."""
    texts: Texts | tuple[str, ...]
    """Their texts."""
    url: str = ""
    """The page's URL."""
    chars: int = 0
    """Characters of its text."""
    every: bytes = b""
    """Keys of its segments, 64-bit numbers; of many, those that samples of their keys can take."""
    goes: bytes = b""
    """Whether each of them was removed, a byte each."""

    @classmethod
    def of(cls, page: Page, verdict: Verdict) -> Self:
        """Look at a page and its verdict.

        Of more removed segments than :data:`SAMPLE`, those with the smallest keys are taken: a template that
        is on two pages is taken from both or from none, but for what the pages have of their own.
        """
        chars, template, every = page.segment_chars, verdict.template, page.segment_keys
        numbers = template.nonzero()[0]
        total = int(chars.sum())
        share = int(chars[numbers].sum()) / total if total else 0.0
        keys, places = np.unique(every[numbers], return_index=True)
        chosen = tuple(numbers[places[:SAMPLE]].tolist())
        if len(every) > _MANY:
            every, template = _smallest(every, template)
        return cls(
            share, tuple(keys[:SAMPLE].tolist()), Texts(page, chosen), page.url, total, every.tobytes(),
            template.tobytes(),
        )  # fmt: skip


def _smallest(
    every: npt.NDArray[np.uint64], template: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Give the smallest keys of removed and of kept segments, one more than samples keep of each."""
    parts = [np.unique(every[each])[: TEXTS + 1] for each in (template, ~template)]
    return np.concatenate(parts), np.repeat([True, False], [len(part) for part in parts])
