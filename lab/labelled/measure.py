"""Run an extractor over labelled sets, score its texts, and average the scores."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from detemplate.algorithms.wordscores import text_scores
from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.run.cleaner import Engine
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.metrics import (
    shown_titles,
    site_scores,
    snippet_share,
    untitled,
    values_kept,
    visible_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from detemplate.output.result import Result
    from lab.labelled.catalogue import Kind
    from lab.labelled.pages import Gold, LabelledPage, LabelledSet

    Observe = Callable[[LabelledPage, str, "PageScores"], None]
    """Called with a page, the text returned for it, and its scores."""

PageScores = dict[str, "float | None"]  # scores of one page by name; None where the page has no such score
MAIN_SCORE: Final = {"text": "f1", "site": "f1", "values": "intact"}
"""Score that ranks the pages of a set, by kind of gold."""


@dataclass(slots=True)
class ExtractedTexts:
    """Texts that an extractor returned, empty for pages on which it crashed or was stopped."""

    texts: list[str] = field(default_factory=list)
    crashed: int = 0
    timed_out: int = 0


@dataclass(slots=True)
class SetScores:
    """Scores of one extractor on one set; lists have one entry a page, None for a score that it lacks.

    Figures are split by `types`: page types or languages.
    """

    types: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    columns: dict[str, list[float | None]] = field(default_factory=dict)
    crashed: int = 0
    timed_out: int = 0

    def add(self, page_type: str, site: str, scores: PageScores) -> None:
        """Append the scores of one page; all pages of a set have scores of the same names."""
        self.types.append(page_type)
        self.sites.append(site)
        for name, value in scores.items():
            self.columns.setdefault(name, []).append(value)


@dataclass(slots=True)
class Figures:
    """Means over a set or a part of it; `known` has the number of pages with each score."""

    pages: int
    sites: int
    means: dict[str, Estimate]
    crashed: int = 0
    timed_out: int = 0
    known: dict[str, int] = field(default_factory=dict)


class Extractor(Protocol):
    """What can be measured: a method of this package or a peer."""

    @property
    def label(self) -> str:
        """Name that results are kept under."""

    def run(self, site: Sequence[tuple[str, str]], scored: Sequence[int] | None = None) -> ExtractedTexts:
        """Return the texts of the pages `scored` of a site, having seen all its pages."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method, with options that differ from their defaults, run over each site in two passes."""

    name: str
    options: tuple[tuple[str, str | float], ...] = ()

    @property
    def label(self) -> str:
        """Name and options; no version, as the results are those of the working tree."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options)])

    def run(self, site: Sequence[tuple[str, str]], scored: Sequence[int] | None = None) -> ExtractedTexts:
        """Learn from all pages of a site, given by URL and HTML, then clean the `scored` ones; None: all."""
        return self.clean(parsed(site), range(len(site)) if scored is None else scored)

    def clean(self, pages: Sequence[Page | None], scored: Iterable[int]) -> ExtractedTexts:
        """As :meth:`run`, on parsed pages; None stands for one that has no page."""
        extracted = ExtractedTexts()
        for result in self.results(pages, scored):
            text = None
            with suppress(PageError):
                text = result.text if result is not None else None
            extracted.crashed += text is None
            extracted.texts.append(text or "")
        return extracted

    def results(
        self, pages: Sequence[Page | None], scored: Iterable[int], *, keep_scripts: bool = False
    ) -> Iterator[Result | None]:
        """Learn from all pages of a site, then clean some; None for one that fails. Each is asked once."""
        options = dict(self.options)
        work = Engine(method=self.name, streaming=False, options=options, keep_scripts=keep_scripts).work
        detector = work.make()
        asked = []
        for page in pages:
            found = None
            with suppress(PageError):
                if page is not None:
                    found = detector.ask(page)
                    detector.take(found.query)
            asked.append(found)
        for number in scored:
            page, found, result = pages[number], asked[number], None
            with suppress(PageError):
                if page is not None and found is not None:
                    result = work.result(page, detector.judge(page, found, detector.answer(found.query)))
            yield result


def parsed(site: Iterable[tuple[str, str]]) -> list[Page | None]:
    """Parse the pages of a site, given by URL and HTML; None for one that cannot be parsed."""
    return [page_or_none(url, html, "site") for url, html in site]


def page_or_none(url: str, html: str, site: str | None = None) -> Page | None:
    """Parse a page; None where it cannot be parsed."""
    try:
        return Page(url, html, site=site)
    except PageError:
        return None


def score_page(kind: Kind, gold: Gold, html: str, output: str) -> PageScores:
    """Score the text of one page by the metrics for its kind of gold.

    Values: the share that is kept, and whether all are kept: all values, those of the price, those of the
    SKU. Snippets: the share of the required ones that is present, of the forbidden ones that is absent.
    `untitled` is F1 where the page's title is taken out of output and gold, once of each.
    """
    if kind == "values":
        shown = visible_text(html)
        parts = {"intact": gold.values, "price": gold.price, "sku": gold.sku}
        kept = {name: values_kept(output, shown, values) for name, values in parts.items()}
        intact = {name: None if share is None else float(share == 1) for name, share in kept.items()}
        return {"values": kept["intact"], **intact}
    titles = (gold.metadata.get("title", ""), *shown_titles(html))
    plain_output, plain_text = untitled(output, titles), untitled(gold.text, titles)
    if kind == "site":
        return {
            **site_scores(output, gold.text, gold.outside)._asdict(),
            "untitled": site_scores(plain_output, plain_text, gold.outside).f1,
        }
    forbidden = snippet_share(output, gold.absent)
    return {
        **text_scores(output, gold.text, gold.comments)._asdict(),
        "untitled": text_scores(plain_output, plain_text, gold.comments).f1,
        "present": snippet_share(output, gold.present),
        "absent": None if forbidden is None else 1 - forbidden,
    }


def measure(extractor: Extractor, labelled: LabelledSet, observe: Observe | None = None) -> SetScores:
    """Score an extractor on the labelled pages of a set; `observe` is called for each scored page."""
    return measure_by_site(lambda _: extractor, labelled, observe)


def measure_all(methods: Sequence[Method], labelled: LabelledSet) -> list[SetScores]:
    """Score several methods on a set, as :func:`measure` does; each page is parsed once."""

    def run(site: list[LabelledPage], scored: list[int]) -> list[ExtractedTexts]:
        pages = parsed((page.url, page.html) for page in site)
        return [method.clean(pages, scored) for method in methods]

    return _measured(labelled, len(methods), run)


def measure_by_site(
    choose: Callable[[str], Extractor], labelled: LabelledSet, observe: Observe | None = None
) -> SetScores:
    """Score a set, as :func:`measure` does, each site by the extractor that `choose` returns for its name."""

    def run(site: list[LabelledPage], scored: list[int]) -> list[ExtractedTexts]:
        extractor = choose(labelled.folder.name if labelled.kind == "site" else site[0].site)
        return [extractor.run([(page.url, page.html) for page in site], scored)]

    return _measured(labelled, 1, run, observe)[0]


def _measured(
    labelled: LabelledSet,
    count: int,
    run: Callable[[list[LabelledPage], list[int]], list[ExtractedTexts]],
    observe: Observe | None = None,
) -> list[SetScores]:
    """Score what `run` returns for each site: the texts of so many extractors."""
    scores = [SetScores() for _ in range(count)]
    for site in labelled.sites():
        golds = [(number, page, page.gold) for number, page in enumerate(site) if page.gold is not None]
        found = run(site, [number for number, _, _ in golds])
        for place, (_, page, gold) in enumerate(golds):
            for of_one, extracted in zip(scores, found, strict=True):
                page_scores = score_page(labelled.kind, gold, page.html, extracted.texts[place])
                of_one.add(page.lang if labelled.by == "lang" else page.type, page.site, page_scores)
                if observe:
                    observe(page, extracted.texts[place], page_scores)
        for of_one, extracted in zip(scores, found, strict=True):
            of_one.crashed += extracted.crashed
            of_one.timed_out += extracted.timed_out
    return scores


def summarise(sets: Iterable[LabelledSet], scores: Mapping[str, SetScores]) -> dict[str, Figures]:
    """Average one extractor's scores by set, page type or language, and part, such as ``wcxb-dev/article``.

    Sites: means over the pages of a site, then over sites. All intervals come from resampling sites.
    """
    summary: dict[str, Figures] = {}
    parts: dict[str, list[Figures]] = {}
    for labelled in sets:
        of_set = scores.get(labelled.name)
        if not of_set or not of_set.types:
            continue
        whole = _means(of_set, range(len(of_set.types)))
        whole.crashed, whole.timed_out = of_set.crashed, of_set.timed_out
        summary[labelled.name] = whole
        if labelled.kind == "site":
            for part in ("sites", f"sites/{labelled.part}"):
                parts.setdefault(part, []).append(whole)
            continue
        types = sorted(set(of_set.types))
        if labelled.kind == "text" and len(types) > 1:
            for name in types:
                numbers = [number for number, page_type in enumerate(of_set.types) if page_type == name]
                summary[f"{labelled.name}/{name}"] = _means(of_set, numbers)
    for part, members in sorted(parts.items()):
        summary[part] = _over_sites(members)
    return summary


def _means(scores: SetScores, numbers: Sequence[int]) -> Figures:
    """Average over the pages with these numbers."""
    means, counts = {}, {}
    for name, column in scores.columns.items():
        known = [(value, scores.sites[number]) for number in numbers if (value := column[number]) is not None]
        if known:
            means[name] = bootstrap_mean([value for value, _ in known], [site for _, site in known])
            counts[name] = len(known)
    return Figures(len(numbers), len({scores.sites[number] for number in numbers}), means, known=counts)


def _over_sites(members: Sequence[Figures]) -> Figures:
    """Average over sites; each site weighs the same."""
    names = [name for name in members[0].means if all(name in member.means for member in members)]
    return Figures(
        pages=sum(member.pages for member in members),
        sites=len(members),
        means={name: bootstrap_mean([member.means[name].mean for member in members]) for name in names},
        crashed=sum(member.crashed for member in members),
        timed_out=sum(member.timed_out for member in members),
    )
