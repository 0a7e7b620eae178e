"""Comparing methods on the pages of an input: where they agree, on which texts they differ, who is right."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms.wordscores import TextScores, text_scores
from detemplate.errors import PageError, UserError, abridged, counted
from detemplate.io.record import Record, Skip, skipped_lines
from detemplate.io.sources.compression import InputFile
from detemplate.output.choice import unused
from detemplate.report.htmlfile import html_file
from detemplate.run.cleaner import Engine
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader, page_parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from detemplate.io.sources.base import Source
    from detemplate.output.result import Result
    from detemplate.page.page import Page
    from detemplate.run.progress import Progress

WORST: Final = 40
"""Pages that are shown beside each other: those on which the methods agree least."""

_COUNTED: Final = 200_000  # different texts that are counted; beyond, those on fewest pages are forgotten
_LISTED: Final = 200  # sites, texts, and texts of a page that a file lists
_WIDTH: Final = 200  # characters of a text that are shown


class Difference(NamedTuple):
    """A text on which the methods of a comparison differ."""

    text: str
    """The text, its white space collapsed."""
    removed: tuple[bool, ...]
    """Which methods remove it."""
    skipped: int
    """Number of the page's texts since the last difference on which they agree."""


class ComparedPage(NamedTuple):
    """What the methods say about one page."""

    url: str
    """The page's URL."""
    site: str
    """Its site."""
    agreement: float
    """Share of the text's characters on which all methods agree; 1 for a page without text."""
    shares: tuple[float, ...]
    """Share of template by each method."""
    scores: tuple[TextScores, ...]
    """Scores of the methods against the gold; empty for a page without gold."""
    differences: tuple[Difference, ...]
    """Texts on which they differ, in the page's order."""

    def as_dict(self, methods: Sequence[str]) -> dict[str, Any]:
        """Return the page as a JSON object."""
        return {
            "url": self.url,
            "site": self.site,
            "agreement": round(self.agreement, 6),
            "template_share": _by(methods, [round(share, 6) for share in self.shares]),
            **({"gold": _by(methods, [_rounded(each) for each in self.scores])} if self.scores else {}),
            "differences": [
                {"text": each.text, "removed": _by(methods, each.removed)} for each in self.differences
            ],
        }


@dataclass(slots=True)
class Tally:
    """Counts of some pages.

    ``pages``, ``judged``: number of pages, and of those with gold.
    ``chars``, ``agreed``: characters of text, and those on which all methods agree.
    ``template``: by method: characters that it removes.
    ``scores``: by method: sums of precision, recall and F1 over the pages with gold.
    """

    pages: int = 0
    judged: int = 0
    chars: int = 0
    agreed: int = 0
    template: Any = 0
    scores: Any = 0

    def add(self, page: ComparedPage, chars: int) -> None:
        """Count a page with so many characters."""
        self.pages += 1
        self.chars += chars
        self.agreed += round(page.agreement * chars)
        self.template = self.template + np.array(page.shares) * chars
        if page.scores:
            self.judged += 1
            self.scores = self.scores + np.array(page.scores)

    @property
    def agreement(self) -> float:
        """Share of the characters on which all methods agree."""
        return self.agreed / self.chars if self.chars else 1.0

    def share(self, method: int) -> float:
        """Share of the characters that a method removes."""
        return float(self.template[method]) / self.chars if self.chars else 0.0

    def gold(self, method: int) -> TextScores | None:
        """Mean scores of a method over the pages with gold; None without any."""
        return TextScores(*(self.scores[method] / self.judged).tolist()) if self.judged else None


@dataclass(slots=True)
class Comparison:
    """What a comparison has found.

    ``methods``: their names.
    ``total``, ``sites``: counts of all pages, and of each site's.
    ``texts``: number of pages by a text on which the methods differ, and which of them remove it.
    ``worst``: pages on which they agree least, those first.
    ``unmatched``: rows of the gold that no page has.
    ``skipped``: records that were left out, by reason.
    ``idle``: what :func:`~detemplate.output.choice.unused` says.
    """

    methods: list[str]
    total: Tally = field(default_factory=Tally)
    sites: dict[str, Tally] = field(default_factory=dict)
    texts: Counter[tuple[str, tuple[bool, ...]]] = field(default_factory=Counter)
    worst: list[ComparedPage] = field(default_factory=list)
    unmatched: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    idle: list[str] = field(default_factory=list)

    def by_agreement(self) -> list[tuple[str, Tally]]:
        """Return the sites, those on which the methods agree least first."""
        return sorted(self.sites.items(), key=lambda item: (item[1].agreement, item[0]))

    def lines(self, top: int = 10) -> Iterator[str]:
        """Yield the comparison as lines of text for a person; ``top`` sites, pages and texts."""
        total, wide = self.total, max(map(len, self.methods))
        yield (
            f"{counted(total.pages, 'page')} of {counted(len(self.sites), 'site')}: the methods agree on "
            f"{total.agreement:.1%} of the text"
        )
        for number, method in enumerate(self.methods):
            gold = total.gold(number)
            told = (
                f"  F1 {gold.f1:.3f}  precision {gold.precision:.3f}  recall {gold.recall:.3f}"
                if gold
                else ""
            )
            yield f"{method:<{wide}}  removes {total.share(number):>6.1%}{told}"
        if total.judged:
            missing = f"; rows of the gold without a page: {self.unmatched:,}" if self.unmatched else ""
            yield f"gold of {total.judged:,} of {counted(total.pages, 'page')}{missing}"
        if len(self.sites) > 1:
            yield "sites, least agreement first:"
            for site, tally in self.by_agreement()[:top]:
                shares = (f"{method} {tally.share(number):.1%}" for number, method in enumerate(self.methods))
                told = f"{counted(tally.pages, 'page')}; {', '.join(shares)}"
                yield f"{tally.agreement:>8.1%}  {site or '(no host)'} ({told})"
        pages = [page for page in self.worst if page.differences][:top]
        if pages:
            yield "pages, least agreement first:"
        for page in pages:
            yield f"{page.agreement:>8.1%}  {page.url}"
        if self.texts:
            yield "texts on which they differ, on most pages first:"
        for (text, removed), count in self.texts.most_common(top):
            yield f"{count:>8,} × {self.sides(removed)}: {text}"
        yield from skipped_lines(self.skipped)
        yield from self.idle

    def sides(self, removed: Sequence[bool]) -> str:
        """Tell which methods remove a text, and which keep it."""
        return "; ".join(
            f"{', '.join(names)} {'removes' if len(names) == 1 else 'remove'}"
            if out
            else f"{', '.join(names)} {'keeps' if len(names) == 1 else 'keep'}"
            for out in (True, False)
            if (names := [name for name, each in zip(self.methods, removed, strict=True) if each == out])
        )


def read_gold(path: str) -> dict[str, str]:
    """Read the main content of pages: JSON Lines with ``text``, and ``url`` or ``id``.

    Returns: the texts by URL, or id.
    Raises UserError: the file cannot be read, or a line has no such keys.
    """
    gold: dict[str, str] = {}
    try:
        with InputFile.from_path(Path(path)).open() as stream:
            lines = stream.read().decode("utf-8").splitlines()
            broken = stream.broken
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the gold {path}: {getattr(error, 'strerror', None) or error}") from None
    if broken:
        raise UserError(f"cannot read the gold {path}: {broken}")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            key = row.get("url") or row["id"]
            gold[str(key)] = str(row["text"])
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise UserError(
                f"line {number:,} of {path} is no gold: write it like "
                '{"url": "https://example.org/", "text": "the main content"}, or with "id" for "url"'
            ) from None
    return gold


def compare(
    source: Source,
    methods: Sequence[str],
    *,
    gold: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    site_by: str = "host",
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    max_page_bytes: int,
    seconds: float,
    write: Callable[[ComparedPage], object] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Judge all pages of an input by several methods, in two passes.

    ``source``: the input; it must be readable twice.
    ``methods``: names of two or more methods.
    ``gold``: main content by the pages' URLs or ids (:func:`read_gold`).
    ``options``: options of the first method.
    ``site_by``: what is one site.
    ``keep``, ``drop``: rules for all methods, as of :class:`~detemplate.Cleaner`.
    ``max_page_bytes``, ``seconds``: limits of a page.
    ``write``: is called with each page.
    ``progress``: shows how far the passes have come.
    Raises UserError: the input cannot be read twice; for an unknown method or option, or fewer than two.
    """
    if len(set(methods)) < max(len(methods), 2):
        raise UserError("a comparison needs two different methods: name them with -m A -m B")
    if not source.rereadable:
        raise UserError("a comparison reads its input twice: give files, not standard input")
    found, golden, used, rules = Comparison(list(methods)), gold or {}, set[str](), set[str]()
    heap: list[tuple[float, int, ComparedPage]] = []
    with ExitStack() as stack:
        given = [dict(options or {}), *({} for _ in methods[1:])]
        cleaners = [
            stack.enter_context(Engine(name, site_by=site_by, streaming=False, keep=keep, drop=drop, **each))
            for name, each in zip(methods, given, strict=True)
        ]
        meter = stack.enter_context(Meter(progress, source))
        parse = page_parser(site_by)

        def pages(doing: str) -> Iterator[tuple[Record, Page] | Skip]:
            meter.begin(doing)
            reader = Reader(
                source, parse, max_page_bytes=max_page_bytes, max_page_seconds=seconds, meter=meter
            )
            for number, item in enumerate(reader, 1):
                yield item
                meter.advance(number, cleaners[0].used_sites)

        for item in pages("learning"):
            if not isinstance(item, Skip):
                for cleaner in cleaners:
                    cleaner.learn(item[1])
        for item in pages("comparing"):
            if isinstance(item, Skip):
                found.skipped[item.reason] += 1
                continue
            record, page = item
            key = next((each for each in (page.url, str(record.carried.get("id"))) if each in golden), None)
            used.update(() if key is None else [key])
            try:
                results = [cleaner.clean(page) for cleaner in cleaners]
                told = compared(results, None if key is None else golden[key])
            except PageError as error:
                found.skipped[error.reason] += 1
                continue
            rules.update(results[0].rules)
            chars = int(page.segment_chars.sum())
            found.total.add(told, chars)
            found.sites.setdefault(page.site, Tally()).add(told, chars)
            found.texts.update(dict.fromkeys((each.text, each.removed) for each in told.differences).keys())
            if len(found.texts) > _COUNTED:
                found.texts = Counter(dict(found.texts.most_common(_COUNTED // 2)))
            (heappush if len(heap) < WORST else heappushpop)(
                heap, (-told.agreement, -found.total.pages, told)
            )
            if write is not None:
                write(told)
    found.worst = [page for _, _, page in sorted(heap, reverse=True)]
    found.idle = unused(cleaners[0].work.choice, rules, "any page")
    found.unmatched = len(golden) - len(used)
    return found


def compared(results: Sequence[Result], gold: str | None) -> ComparedPage:
    """Compare the results of several methods on one page; ``gold``: its main content, if it is known."""
    page = results[0].page
    removed = np.array([each.verdict.template for each in results])
    alike = (removed == removed[0]).all(axis=0)
    chars = page.segment_chars
    total = int(chars.sum())
    differences, last = [], -1
    for segment in np.flatnonzero(~alike).tolist():
        text = abridged(" ".join(page.segment_text(segment).split()), _WIDTH)
        differences.append(Difference(text, tuple(removed[:, segment].tolist()), segment - last - 1))
        last = segment
    return ComparedPage(
        page.url,
        page.site,
        float(chars[alike].sum()) / total if total else 1.0,
        tuple(each.template_share for each in results),
        () if gold is None else tuple(text_scores(each.text, gold) for each in results),
        tuple(differences),
    )


def compared_html(found: Comparison) -> str:
    """Write a comparison as a file for a browser: what each method keeps, beside each other."""
    return html_file(
        "compare",
        found=found,
        methods=found.methods,
        total=found.total,
        sites=found.by_agreement()[:_LISTED],
        texts=found.texts.most_common(_LISTED),
        pages=[
            page._replace(differences=tuple(_joined(page.differences)))
            for page in found.worst
            if page.differences
        ],
        most=_LISTED,
    )


def _joined(differences: Sequence[Difference]) -> Iterator[Difference]:
    """Join texts that follow each other, and on which the same methods agree."""
    held: Difference | None = None
    for each in differences:
        if held is not None and not each.skipped and each.removed == held.removed:
            held = held._replace(text=f"{held.text} · {each.text}")
            continue
        if held is not None:
            yield held
        held = each
    if held is not None:
        yield held


def _by(methods: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(methods, values, strict=True))


def _rounded(scores: TextScores) -> dict[str, float]:
    return {name: round(value, 6) for name, value in scores._asdict().items()}
