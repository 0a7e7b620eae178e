"""What a run does with one page, wherever it does it: in this process or in a worker."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from detemplate.detectors.registry import detector_class
from detemplate.errors import PageError
from detemplate.io.record import Record
from detemplate.output.result import Result
from detemplate.output.settled import settled
from detemplate.run.reader import record_page
from detemplate.sites.history import PageSummary

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Learner
    from detemplate.detectors.verdict import Verdict
    from detemplate.output.choice import Choice
    from detemplate.output.options import Rendering
    from detemplate.page.page import Page
    from detemplate.run.limits import Clock

Done = TypeVar("Done")

_SMALL: Final = Record("http://example.org/", "<title>a - e</title><p>b")


class Cleaned(NamedTuple):
    """A cleaned page, ready to be written.

    ``row``: the output record, without the keys that the input record carries.
    ``site``, ``seconds``: the page's site, and the time that it took.
    ``chars``, ``template_chars``, ``segments``, ``template_segments``: characters of the page's text and its
        text segments: all, and those removed.
    ``removed``, ``page_summary``: texts that were removed, if they are to be counted; what the history of the
        site takes from the page, if it is kept.
    ``recoded``: whether the page was read as UTF-8 although another encoding is declared.
    ``peerless``: whether the method had no other page to compare it with, though it needs one.
    ``rules``: the rules that select something on the page, as options.
    """

    row: dict[str, object]
    site: str
    chars: int
    template_chars: int
    segments: int
    template_segments: int
    removed: tuple[str, ...]
    page_summary: PageSummary | None
    seconds: float = 0.0
    recoded: bool = False
    peerless: bool = False
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowOf:
    """Makes output records of results.

    ``removed``, ``histories``: whether the removed texts are to be counted, and whether the histories of
        sites are kept.
    ``peers``: whether pages are counted that the method could not compare with others.
    """

    removed: bool = False
    histories: bool = False
    peers: bool = False

    def __call__(self, result: Result) -> Cleaned:
        """Render a result."""
        row = result.as_dict()
        removed = tuple(result.removed_texts()) if self.removed else ()
        counts = result.segments, result.template_segments
        page_summary = PageSummary.of(result.page, result.judged) if self.histories else None
        recoded = result.page.recoded
        peerless = self.peers and _is_peerless(result)
        rules = result.rules
        return Cleaned(
            row, result.site, *result.chars, *counts, removed, page_summary, 0.0, recoded, peerless, rules
        )


def _is_peerless(result: Result) -> bool:
    """Tell whether a method says that it had no page to compare a page with."""
    judged = result.judged
    if not len(judged) or judged.template.any():
        return False
    return any(cause.code == "no_peer" for cause in judged.causes(0))


@dataclass(frozen=True, slots=True)
class Rendered:
    """Keeps results, with what ``formats`` names of them computed at once: renderings and metadata."""

    formats: tuple[str, ...] = ()

    def __call__(self, result: Result) -> Result:
        """Render a result."""
        for name in self.formats:
            getattr(result, name)
        return result


@dataclass(frozen=True, slots=True)
class PageWork(Generic[Done]):
    """The work on a page that needs no other page: parsing before a verdict, rendering after it.

    ``make``: makes a learner of a new site.
    ``method``, ``site_by``, ``threshold``, ``rendering``: as for :class:`~detemplate.run.cleaner.Cleaner`.
    ``finish``: makes of a result what the run hands over.
    ``choice``: a person's own word; None: nothing is said.
    """

    make: Callable[[], Learner]
    method: str
    site_by: str
    threshold: float | None
    rendering: Rendering
    finish: Callable[[Result], Done]
    choice: Choice | None = None

    def page(self, given: Record | Page, *, keep_document: bool = True) -> Page:
        """Parse a record's page and name its site; a page is given back as it is.

        The parser's DOM is kept if the page is going to be rendered (``keep_document``) and that needs it.

        Raises PageError: as of :class:`~detemplate.Page`; ``empty`` also for None as markup, and ``bad
            record`` for values of other types.
        """
        if not isinstance(given, Record):
            return given
        url, html, site = given.url, given.html, given.site
        if html is None:
            raise PageError("empty", "no markup", url)
        for name, value, kinds in (
            ("URL", url, str),
            ("markup", html, str | bytes),
            ("site", site, str | None),
        ):
            if not isinstance(value, kinds):
                where = url if isinstance(url, str) else ""
                raise PageError("bad record", f"the {name} is {type(value).__name__}, not text", where)
        if keep_document and self.rendering.format == ("html",) and self.choice is None:
            keep_document = False  # HTML is cut out of the bytes
        try:
            return record_page(given, self.site_by, keep_document=keep_document)
        except (ValueError, RecursionError) as error:
            # No page is known to cause these, but one hostile page must not end the run.
            raise PageError("unparsable", f"{type(error).__name__}: {error}", url) from error

    def result(self, page: Page, verdict: Verdict) -> Result:
        """Join a page and its verdict, which is settled: for readers, and as a person says.

        See :mod:`detemplate.output.settled` and :mod:`detemplate.output.choice`.
        """
        if self.threshold is not None:
            verdict = dataclasses.replace(verdict, threshold=self.threshold)
        verdict, chosen = settled(page, verdict), None
        if self.choice is not None:
            verdict, chosen = self.choice.settled(page, verdict)
        return Result(page, verdict, self.method, self.rendering, chosen)

    def read(self, result: Result) -> Result:
        """Read what a page says of itself, if the run hands that over, and return the result."""
        made = self.finish
        if "metadata" in made.formats if isinstance(made, Rendered) else result.rendering.metadata:
            result.metadata.as_dict()
        return result

    def done(self, result: Result, clock: Clock) -> Done:
        """Render a page; the clock has the page's time, and is checked before and after."""
        clock.check()
        done: Any = self.finish(result)
        clock.check()
        if isinstance(done, Cleaned):
            done = done._replace(seconds=round(clock.seconds, 4))
        return done  # type: ignore[no-any-return]

    def question(self) -> Any:  # noqa: ANN401  # see a detector's
        """Return the query of a small page."""
        return self.make().ask(self.page(_SMALL)).query

    def warm_up(self) -> None:
        """Work on a small page, so that all that is loaded for it is shared with processes forked later."""
        page, blank = self.page(_SMALL), self.make()
        if detector_class(self.method).streams:
            asked = blank.ask(page)
            with suppress(PageError):  # the page may lack a layout
                verdict = blank.judge(page, asked, self.make().take_and_answer(asked.query))
                self.finish(self.result(page, verdict))
