"""Applying template expressions to a source, in one pass: each document by itself."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.intervals import overlap
from detemplate.detectors.causes import Cause
from detemplate.errors import PageError, UserError
from detemplate.expressions.match import Matcher
from detemplate.expressions.remove import Locality, clean_text
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.mining.documents import TEXT, check_on, document_reader
from detemplate.output.result import carry
from detemplate.run.limits import DEFAULT_MAX_PAGE_SECONDS, Rejects, rejection
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader
from detemplate.run.summary import Summary, run_pass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from detemplate.detectors.causes import Value
    from detemplate.expressions.files import Expression, Expressions
    from detemplate.expressions.match import Positions
    from detemplate.expressions.remove import Cleaned
    from detemplate.io.record import Skip
    from detemplate.io.sinks.out import Sink
    from detemplate.io.sources.base import Source
    from detemplate.mining.documents import Document
    from detemplate.run.progress import Progress

METHOD: Final = "expressions"
"""Method that output records name."""

WHOSE: Final = ("auto", "own", "all")
"""Values of :attr:`ApplyJob.whose`."""

_MOST_REASONS: Final = 3  # expressions that the reason for a removal names

_MOST_MATCHERS: Final = 32
"""Matchers kept at the same time, those used last; a matcher is made of one site's expressions."""

_LINE: Final = re.compile(r"\S[^\n]*")
"""A segment of plain text or markup: a line without its leading white space."""


@dataclass(frozen=True, slots=True)
class ApplyJob:
    """How expressions are applied.

    ``expressions``: as read from a file.
    ``on``: ``"text"``: the pages' visible text; ``"html"``: their markup, unparsed.
    ``whose``: which expressions are applied to a page: ``"own"`` (those of its site), ``"all"``, or
        ``"auto"`` (those of its site if the file has any, else all). Expressions of no site always are.
    ``locality``: how near each other removals must be to be joined, and how small a removal may be.
    ``site_by``, ``max_page_bytes``, ``max_page_seconds``: as for :class:`~detemplate.run.job.Job`.
    ``explain``: list in each output record what was removed, and by which expressions.
    ``show``: number of texts, those removed most often, that the summary lists.
    """

    expressions: Expressions
    on: str = TEXT
    whose: str = "auto"
    locality: Locality = field(default_factory=Locality)
    site_by: str = "host"
    explain: bool = False
    show: int = 0
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        check_on(self.on)
        if self.whose not in WHOSE:
            raise UserError(f"unknown sites' expressions {self.whose!r} (choose from {', '.join(WHOSE)})")
        if self.show < 0:
            raise UserError(f"the number of texts to show must not be negative: {self.show}")


class Matchers:
    """The matchers of sites, made when first needed; the :data:`_MOST_MATCHERS` used last are kept.

    ``expressions``: as read from a file.
    ``whose``: as for :class:`ApplyJob`.
    """

    def __init__(self, expressions: Expressions, whose: str) -> None:
        self._expressions = expressions
        self._whose = whose
        self._groups: dict[str, list[Expression]] = defaultdict(list)
        for expression in expressions.expressions:
            self._groups[expression.collection].append(expression)
        self._matchers = lru_cache(_MOST_MATCHERS)(self._matcher)

    def __getitem__(self, site: str) -> Matcher:
        if self._whose == "all" or (self._whose == "auto" and site not in self._groups):
            return self._matchers(None)
        return self._matchers(site if site in self._groups else "")

    def _matcher(self, site: str | None) -> Matcher:
        """Make the matcher of a site; None: of all expressions."""
        file = self._expressions
        chosen = file.expressions if site is None else self._expressions_of(site)
        return Matcher(chosen, file.token, file.separator)

    def _expressions_of(self, site: str) -> list[Expression]:
        """Return the expressions of a site and those of no site."""
        siteless = self._groups.get("", [])
        return siteless if site == "" else [*self._groups[site], *siteless]


def apply(
    source: Source,
    sink: Sink,
    job: ApplyJob,
    *,
    rejects: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Remove what expressions match from every document of a source, and write the rest into a sink.

    ``source``: from :func:`~detemplate.io.sources.open.open_sources`. It is read once.
    ``sink``: from :func:`~detemplate.io.sinks.open.open_sink`, opened for the format ``job.on``. It is closed
        at the end; an error leaves nothing of it behind.
    ``job``: what to apply, and how.
    ``rejects``: file for the pages that were lost, as JSON Lines.
    ``progress``: shows how far the run has come.
    Returns: the counts of the run. A segment is a text segment of a page, or a line of markup or plain text.
        It counts as removed if all of it is removed.
    Raises UserError: for an output that cannot be written, or an expression that RE2 cannot read.
    Raises MissingExtra: there are expressions that are no token sequences, and RE2 is not installed.
    """
    start = time.perf_counter()
    with ExitStack() as stack:
        stack.enter_context(sink)
        log = stack.enter_context(Rejects(rejects))
        meter = stack.enter_context(Meter(progress, source))
        work = _Run(source, sink, job, meter)
        meter.begin("applying")
        run_pass(work.reader, work.document, summary=work.summary, rejects=log, meter=meter)
    work.summary.seconds = time.perf_counter() - start
    return work.summary


class _Run:
    """One run over one source: its matchers, its reader and its summary."""

    def __init__(self, source: Source, sink: Sink, job: ApplyJob, meter: Meter) -> None:
        self.job = job
        self.sink = sink
        self.matchers = Matchers(job.expressions, job.whose)
        self.summary = Summary(METHOD, 1, show=job.show)
        self.sites: set[str] = set()
        self.reader = Reader(
            source,
            document_reader(job.on, job.site_by),
            max_page_bytes=job.max_page_bytes,
            max_page_seconds=job.max_page_seconds,
            meter=meter,
        )

    def document(self, document: Document) -> Skip | None:
        """Clean a document and write it; give a skip if it is lost."""
        starts, stops = _segments(document)
        text = _in_lines(document)
        matcher = self.matchers[document.site]
        check = self.reader.clock.check
        try:
            cleaned = clean_text(text, matcher, self.job.locality, check)
            check()
        except PageError as error:
            return rejection(document.record, error)
        removed = int((cleaned.stops - cleaned.starts).sum())
        whole = int((overlap(cleaned.starts, cleaned.stops, starts, stops) == stops - starts).sum())
        row: dict[str, object] = {
            "url": document.url,
            "site": document.site,
            "title": document.page.title if document.page is not None else "",
            self.job.on: cleaned.text,
            "template_share": round(removed / len(text), 6) if text else 0.0,
            "segments": len(starts),
            "template_segments": whole,
            "method": METHOD,
        }
        if self.job.explain:
            row["removed"] = _removed_rows(text, cleaned, matcher)
        carry(row, document.record.carried)
        self.sink.write(row, document.record)
        self._count(document, len(text), removed, len(starts), whole)
        if self.job.show:
            self.summary.count_texts(" ".join(piece.split()) for piece in _removed_pieces(text, cleaned))
        return None

    def _count(self, document: Document, chars: int, removed: int, segments: int, whole: int) -> None:
        summary = self.summary
        self.sites.add(document.site)
        summary.sites = len(self.sites)
        summary.pages += 1
        summary.chars += chars
        summary.template_chars += removed
        summary.segments += segments
        summary.template_segments += whole
        summary.recoded += document.page is not None and document.page.recoded


def _segments(document: Document) -> tuple[Positions, Positions]:
    """Return the starts and stops of a page's segments; of lines where the document is not parsed."""
    if document.visible is not None:
        return document.visible.starts, document.visible.stops
    spans = np.array([match.span() for match in _LINE.finditer(document.text)], np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def _in_lines(document: Document) -> str:
    """Put each block on a line of its own. Expressions match across line breaks as across spaces."""
    if document.visible is None or document.page is None:
        return document.text
    first = np.flatnonzero(np.diff(document.page.blocks)) + 1
    text, edges = document.text, [0, *document.visible.starts[first].tolist(), len(document.text)]
    blocks = (text[low:high] for low, high in pairwise(edges))
    return "".join([block[:-1] + "\n" if block.endswith(" ") else block for block in blocks])


def _removed_pieces(text: str, cleaned: Cleaned) -> list[str]:
    """List the removed pieces of a text."""
    return [
        text[start:stop] for start, stop in zip(cleaned.starts.tolist(), cleaned.stops.tolist(), strict=True)
    ]


def _removed_rows(text: str, cleaned: Cleaned, matcher: Matcher) -> list[dict[str, object]]:
    """List the removed pieces in order, each with the first :data:`_MOST_REASONS` expressions that match."""
    if not len(cleaned.starts):
        return []
    matches = cleaned.matches
    piece_of = np.searchsorted(cleaned.starts, matches.starts, side="right") - 1
    lengths = np.minimum(matches.stops, cleaned.stops[piece_of]) - matches.starts
    chars: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))  # by piece and expression
    order = np.lexsort((matches.which, matches.starts - matches.stops, piece_of))
    columns = (piece_of[order], matches.which[order], lengths[order])
    for piece, which, length in zip(*(column.tolist() for column in columns), strict=True):
        chars[piece][which] += length
    rows: list[dict[str, object]] = []
    for number, piece in enumerate(_removed_pieces(text, cleaned)):
        patterns = list(dict.fromkeys(matcher.expressions[which].pattern for which in chars[number]))
        more = f" and {len(patterns) - _MOST_REASONS} more" if len(patterns) > _MOST_REASONS else ""
        reason = "matches " + "; ".join(patterns[:_MOST_REASONS]) + more
        causes = _causes(chars[number], len(piece), matcher, patterns[:_MOST_REASONS])
        rows.append({"text": " ".join(piece.split()), "score": 1.0, "reason": reason, "causes": causes})
    return rows


def _causes(
    chars: Mapping[int, int], length: int, matcher: Matcher, named: Collection[str]
) -> list[dict[str, Value]]:
    """Give the causes of a removed piece; ``chars`` are the characters that each expression matches of it."""
    total = sum(chars.values())
    causes: dict[str, Cause] = {}
    for which, matched in chars.items():
        expression = matcher.expressions[which]
        if expression.pattern not in named or expression.pattern in causes:
            continue
        values: dict[str, Value] = {
            "expression": expression.pattern,
            "share": round(min(matched / length, 1.0), 4),
        }
        if expression.documents:
            values["pages"] = int(expression.documents)
        if expression.collection:
            values["site"] = expression.collection
        causes[expression.pattern] = Cause("expression", round(matched / total, 2), values)
    return [cause.as_dict() for cause in causes.values()]
