"""An HTML page for people: the pages with a method's lowest scores, word by word."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from lab.labelled.metrics import account
from lab.labelled.words import count_words, words

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN_WORDS: Final = 3000  # most words of a text that are shown
_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 1rem auto; padding: 0 1rem }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; max-height: 30rem; overflow: auto }
.kept { color: #17692b } .lost { background: #f6c6c6 } .left { background: #f6ddb0 } .other { color: #888 }
h2 { font-size: 1rem; margin: 2rem 0 .3rem } h3 { font-size: .9rem; margin: 0 }
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A page, its main score, wanted text and output; ``outside``: unwanted text (None: all other)."""

    score: float
    set_name: str
    page_id: str
    url: str
    gold: str
    outside: str | None
    output: str


class Worst:
    """Keeps a number of cases with the lowest scores."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._heap: list[tuple[float, int, Case]] = []
        self._seen = 0

    def add(self, case: Case) -> None:
        """Add a case, which is kept while fewer than `number` cases score lower."""
        self._seen += 1
        heapq.heappush(self._heap, (-case.score, -self._seen, case))
        if len(self._heap) > self.number:
            heapq.heappop(self._heap)

    def cases(self) -> list[Case]:
        """Return the kept cases, the lowest scores first."""
        return [case for _, _, case in sorted(self._heap, reverse=True)]


def overview(title: str, cases: Iterable[Case]) -> str:
    """Write an HTML page with wanted text beside output; colours mark words kept, lost and left over."""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>"
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>"
        "<p><span class=kept>kept</span> <span class=lost>lost</span> <span class=left>left over</span> "
        "<span class=other>neither wanted nor unwanted</span></p>"
    ]
    for case in cases:
        agreeing, lost, extra = account(case.output, case.gold)
        unwanted = extra if case.outside is None else extra & count_words(case.outside)
        label = f"{case.score:.3f} · {case.set_name} · {case.page_id}"
        totals = f"{agreeing.total()} kept, {lost.total()} lost, {unwanted.total()} left over"
        parts.append(
            f"<h2>{escape(label)}</h2><p>{escape(case.url)}<br>{totals}</p>"
            f"<div class=pair><div><h3>wanted</h3>{_coloured(case.gold, agreeing, lost, 'lost')}</div>"
            f"<div><h3>output</h3>{_coloured(case.output, agreeing, unwanted, 'left')}</div></div>"
        )
    return "\n".join(parts) + "\n"


def _coloured(text: str, agreeing: Counter[str], marked: Counter[str], name: str) -> str:
    agreeing, marked = Counter(agreeing), Counter(marked)
    spans: list[tuple[str, list[str]]] = []
    every = words(text)
    for word in every[:_SHOWN_WORDS]:
        kind = "other"
        for choice, counts in (("kept", agreeing), (name, marked)):
            if counts[word] > 0:
                counts[word] -= 1
                kind = choice
                break
        if not spans or spans[-1][0] != kind:
            spans.append((kind, []))
        spans[-1][1].append(word)
    more = f" … and {len(every) - _SHOWN_WORDS} more" if len(every) > _SHOWN_WORDS else ""
    return " ".join(f"<span class={kind}>{escape(' '.join(run))}</span>" for kind, run in spans) + more
