"""The words for the causes on a page itself, with numbers that a person can check on the page."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.errors import abridged, counted
from detemplate.features.segment import NAMES
from detemplate.features.vocabulary import read_names
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.auto.model import AutoModel
    from detemplate.detectors.auto.stages import PageStage
    from detemplate.detectors.causes import Value
    from detemplate.page.page import Page

    Phrase = tuple[str, dict[str, Value]]
    """Words for a cause, and its values."""

_TEMPLATE_ELEMENTS: Final = {
    "nav": "in a menu",
    "footer": "in a footer",
    "aside": "in a sidebar",
    "header": "in a header",
    "form": "in a form",
    "button": "on a button",
    "option": "a choice in a form",
    "figcaption": "the caption of a picture",
}
"""Elements whose name alone tells a person that template is in them, in a reader's words."""

_CONTENT_ELEMENTS: Final = {
    "article": "in an article",
    "main": "in the page's main part",
    "p": "in a paragraph",
    "blockquote": "in a quotation",
    "pre": "in preformatted text",
    "heading": "in a heading",
}
"""Elements whose name tells a person that content is in them, in a reader's words."""

_DATE: Final = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b")
"""What a line with a date has: a year, or a day in digits."""

_BRIEF: Final = 8
"""Maximum number of words of a short line."""

_HEADINGS: Final = tags.marked({1: "h1 h2 h3 h4 h5 h6"}, np.uint8).astype(np.bool_)

_COLUMN: Final = {name: number for number, name in enumerate(NAMES)}

_SHOWN: Final = 40
"""Maximum length of a text that a phrase quotes, in characters."""

_LIST_LINKS: Final = 2
"""Minimum number of links of a list of links."""

_ROW: Final = 3
"""Minimum number of texts in a row that are worth telling."""

_NEAREST: Final = 12
"""Elements around a segment whose names are looked at."""


class Phrases:
    """Writes the words for a page's causes.

    ``page``, ``stage``, ``model``: the page, the result of its first stage, and the model.
    """

    def __init__(self, page: Page, stage: PageStage, model: AutoModel) -> None:
        self._page, self._stage, self._model = page, stage, model
        self._headings = np.flatnonzero(_HEADINGS[page.columns.tag])
        self._before = np.append(0, stage.features.words.cumsum())
        self._headed: dict[int, tuple[str, range]] = {}
        self._columns: dict[str, list[float]] = {}
        self._names: dict[int, tuple[tuple[str, float], tuple[str, float]]] = {}

    def write(self, code: str, segment: int, *, template: bool) -> Phrase:
        """Write the words for a cause on the page itself.

        ``code``: a key of :data:`~detemplate.detectors.auto.reasons.GROUPS`.
        ``segment``: the segment's number.
        ``template``: whether the cause speaks for template.
        """
        return _WRITERS[code](self, segment, template)

    def _value(self, name: str, segment: int) -> float:
        if name not in self._columns:
            self._columns[name] = self._stage.features.table[:, _COLUMN[name]].tolist()
        return self._columns[name][segment]

    @cached_property
    def _parents(self) -> list[int]:
        parents: list[int] = self._page.columns.parent.tolist()
        return parents

    @cached_property
    def _boxes(self) -> list[list[int]]:
        """Level, first and last segment of the nearest group around each segment that holds several."""
        first, last = self._stage.around.first, self._stage.around.last
        level = (last - first > 1).argmax(axis=1)[:, None]
        columns = (level, np.take_along_axis(first, level, 1), np.take_along_axis(last, level, 1))
        boxes: list[list[int]] = np.hstack(columns).tolist()
        return boxes

    def _words(self, first: int, last: int) -> int:
        return int(self._before[last] - self._before[first])

    def _class_names(self, segment: int, template: bool) -> Phrase:
        parents = self._parents
        row = parents[self._page.segments[segment]]
        best, found = 0.0, ""
        for _ in range(_NEAREST):
            if row < 0:
                break
            name, weight = self._telling(row)[0 if template else 1]
            if weight > best:
                best, found = weight, name
            row = parents[row]
        if found:
            found = abridged(found, _SHOWN)
            return f"in a part of the page named “{found}”", {"name": found}
        told = f"in no part of the page that is named like {'content' if template else 'a menu'}"
        return told, {"names": int(self._value("vocabulary_elements", segment))}

    def _telling(self, row: int) -> tuple[tuple[str, float], tuple[str, float]]:
        """Give the names of an element that weigh most for template and for content, with their weights."""
        if row not in self._names:
            vocabulary = self._model.vocabulary
            most = [("", 0.0), ("", 0.0)]
            for name, hashes in read_names(self._page.canonical, int(self._page.columns.start[row])):
                numbers = [vocabulary.numbers[each] for each in hashes if each in vocabulary.numbers]
                for weight in vocabulary.weights[numbers].tolist():
                    for side, size in ((0, -weight), (1, weight)):
                        if size > most[side][1]:
                            most[side] = name, size
            self._names[row] = most[0], most[1]
        return self._names[row]

    def _elements(self, segment: int, template: bool) -> Phrase:
        if template and self._value("hidden_steps", segment) >= 0:
            return "in a part of the page that is hidden", {"element": "hidden"}
        for name, told in (_TEMPLATE_ELEMENTS if template else _CONTENT_ELEMENTS).items():
            if self._value(f"in_{name}", segment):
                return told, {"element": name}
        if template and self._value("in_a", segment):
            return "the text of a link", {"element": "a"}
        if template:
            return "in no paragraph, article or heading", {"element": ""}
        return "in no menu, header, footer or form", {"element": ""}

    def _main_text(self, segment: int, template: bool) -> Phrase:
        inside = [bool(self._value(f"target{number}_inside", segment)) for number in range(3)]
        if not template and any(inside):
            return "inside the page's main text", {"inside": 1}
        if all(inside):
            return "at the edge of the page's main text", {"inside": 1}
        number = inside.index(False)
        distance = self._value(f"target{number}_distance", segment)
        away = round(distance % 2 * self._value("page_chars", segment))
        where = "after" if distance >= 2 else "before"
        if not away:
            return f"right {where} the page's main text", {"inside": 0, "characters": 0, "side": where}
        told = f"outside the page's main text, {counted(away, 'character')} {where} it"
        return told, {"inside": 0, "characters": away, "side": where}

    def box(self, segment: int, template: bool) -> Phrase:
        """Describe the nearest group around a segment that holds several texts."""
        level, first, last = self._boxes[segment]
        texts, words = max(last - first, 1), self._words(first, max(last, first + 1))
        links = max(round(self._value(f"group{level}_links", segment)), 0)
        density = max(self._value(f"group{level}_link_density", segment), 0.0)
        values: dict[str, Value] = {"texts": texts, "links": links, "words": words}
        if template and links >= _LIST_LINKS and density > 0.5:
            each = round(words / links)
            return f"in a list of {links:,} links, {counted(each, 'word')} each", values
        if template:
            each = round(words / texts)
            told = f"{'a short line' if each <= _BRIEF else 'a text'} beside others, not part of the prose"
            return f"{told} ({counted(texts, 'text')} of {counted(each, 'word')} each)", values
        linked = f"{density:.0%} of them in links" if links else "none of them in a link"
        return f"in a section of {counted(words, 'word')}, {linked}", values

    def _alike(self, segment: int, template: bool) -> Phrase:
        copies = round(self._value("copies", segment))
        if template and copies > 1:
            return f"{copies:,} times on the page", {"copies": copies}
        which = "slot" if self._value("slot_count", segment) > 1 else "path"
        count = round(self._value(f"{which}_count", segment))
        mean = round(self._value(f"{which}_mean_chars", segment))
        values: dict[str, Value] = {"texts": count, "characters": mean}
        if count <= 1:
            return "the only text of its kind on the page", values
        return f"one of {count:,} texts that look alike, {counted(mean, 'character')} each on average", values

    def _near(self, segment: int, template: bool) -> Phrase:
        links, short = (round(self._value(name, segment)) for name in ("link_run", "short_run"))
        if template and links >= _ROW:
            return f"one of {links:,} links in a row", {"links": links}
        if template and short >= _ROW:
            return f"one of {short:,} short texts in a row", {"texts": short}
        words = round(self._value("block_words", segment))
        if template:
            return f"among {counted(words, 'word')} that are far from running text", {"words": words}
        return f"among {counted(words, 'word')} of running text, or near it", {"words": words}

    def _heading(self, segment: int, template: bool) -> Phrase:  # noqa: ARG002
        number = round(self._value("heading_number", segment))
        if number < 0 or number >= len(self._headings):
            return "before the page's first heading", {"heading": ""}
        if number not in self._headed:
            inside = self._page.segments_in(int(self._headings[number]))
            self._headed[number] = (
                abridged(" ".join(map(self._page.segment_text, inside[:4])), _SHOWN),
                inside,
            )
        text, inside = self._headed[number]
        if not text:
            return "under a heading without text", {"heading": ""}
        if segment in inside:
            return "itself a heading", {"heading": text}
        return f"under the heading “{text}”", {"heading": text}

    def _place(self, segment: int, template: bool) -> Phrase:  # noqa: ARG002
        before = self._value("position", segment)
        return f"after {before:.0%} of the page's text", {"before": round(before, 4)}

    def _text(self, segment: int, template: bool) -> Phrase:
        words = int(self._stage.features.words[segment])
        marks = round(self._value("sentence_marks", segment))
        values: dict[str, Value] = {"words": words, "sentence_marks": marks}
        if words <= _BRIEF and not marks:
            dated = _DATE.search(self._page.segment_text(segment))
            told = "a short line with a date" if dated else f"a short line of {counted(words, 'word')}"
            return told + (", not part of the prose" if template else ""), values
        kind = "in sentences" if marks else "without a full stop"
        return f"a text of {counted(words, 'word')} {kind}", values


_WRITERS: Final[dict[str, Callable[[Phrases, int, bool], Phrase]]] = {
    "class_names": Phrases._class_names,
    "elements": Phrases._elements,
    "main_text": Phrases._main_text,
    "box": Phrases.box,
    "alike": Phrases._alike,
    "near": Phrases._near,
    "heading": Phrases._heading,
    "place": Phrases._place,
    "text": Phrases._text,
}
"""Methods by the causes that they write."""
