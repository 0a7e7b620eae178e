"""Run an extractor over labelled sets, and sum its scores up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from detemplate.labelled.bootstrap import Estimate, bootstrap_mean
from detemplate.labelled.metrics import site_scores, snippet_share, text_scores, values_intact, visible_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from detemplate.labelled.datasets import Gold, Kind, LabelledPage, LabelledSet

Row = dict[str, "float | None"]
"""The scores of one page by name."""

MAIN_SCORE = {"text": "f1", "site": "f1", "values": "intact"}
"""The figure by which pages of a kind of set are ordered."""


@dataclass(slots=True)
class SetScores:
    """Scores of one extractor on one set, a value a page in each list."""

    types: list[str] = field(default_factory=list)
    """Page types."""
    sites: list[str] = field(default_factory=list)
    """Sites of the pages."""
    columns: dict[str, list[float | None]] = field(default_factory=dict)
    """A list of figures for each score; None where a page has no such figure."""
    crashed: int = 0
    timed_out: int = 0

    def add(self, page_type: str, site: str, scores: dict[str, float | None]) -> None:
        """Append the scores of one page.

        Parameters
        ----------
        page_type
            The page's type.
        site
            The page's site.
        scores
            Its figures; every page of a set has the same names.
        """
        self.types.append(page_type)
        self.sites.append(site)
        for name, value in scores.items():
            self.columns.setdefault(name, []).append(value)


@dataclass(slots=True)
class PeerRun:
    """What a peer gave for some pages."""

    texts: list[str] = field(default_factory=list)
    """One text a page; empty where the peer failed."""
    crashed: int = 0
    """Pages on which it raised."""
    timed_out: int = 0
    """Pages on which it was stopped."""


class Extractor(Protocol):
    """What can be measured: a method of this package or a peer."""

    @property
    def label(self) -> str:
        """Name that results are kept under."""

    def run(self, site: Sequence[tuple[str, str]], scored: Sequence[int] | None = None) -> PeerRun:
        """Give texts for the pages `scored` of a site, having seen all its pages."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method of this package in two passes over each site.

    Parameters
    ----------
    name
        Its name, for example ``segments``.
    options
        Names and values of options that differ from its defaults.
    """

    name: str
    options: tuple[tuple[str, str | float], ...] = ()

    @property
    def label(self) -> str:
        """The method's name: its results belong to the working tree, not to a version."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options)])

    def run(self, site: Sequence[tuple[str, str]], scored: Sequence[int] | None = None) -> PeerRun:
        """Learn from all pages of a site, then clean some of them.

        Parameters
        ----------
        site
            URL and HTML of all its pages.
        scored
            Numbers of the pages to clean; by default all.

        Returns
        -------
        PeerRun
            Their texts. Pages that cannot be processed have none and are counted as crashed; any
            other error is a defect and goes up.
        """
        from detemplate.engines.cleaner import Cleaner
        from detemplate.errors import PageError
        from detemplate.page.page import Page

        given: dict[str, Any] = dict(self.options)
        cleaner = Cleaner(method=self.name, streaming=False, **given)
        run = PeerRun()
        pages: list[Page | None] = []
        for url, html in site:
            try:
                page = Page(url, html, site="site")
                cleaner.learn(page)
            except PageError:
                pages.append(None)
            else:
                pages.append(page)
        for number in range(len(site)) if scored is None else scored:
            text, page_now = "", pages[number]
            try:
                if page_now is None:
                    run.crashed += 1
                else:
                    text = cleaner.clean(page_now).text
            except PageError:
                run.crashed += 1
            run.texts.append(text)
        return run


def score_page(kind: Kind, gold: Gold, html: str, output: str) -> Row:
    """Score one output by the kind of its gold.

    Parameters
    ----------
    kind
        What the gold is.
    gold
        The page's gold.
    html
        The page.
    output
        The extractor's text.

    Returns
    -------
    dict
        Figures by name. ``present`` is the share of the snippets that must be there and are,
        ``absent`` the share of those that must not be there and are not.
    """
    if kind == "site":
        return dict(site_scores(output, gold.text, gold.outside)._asdict())
    if kind == "values":
        intact = values_intact(output, visible_text(html), gold.values)
        return {"intact": None if intact is None else float(intact)}
    row: Row = dict(text_scores(output, gold.text, gold.comments)._asdict())
    if gold.present or gold.absent:
        unwanted = snippet_share(output, gold.absent)
        row["present"] = snippet_share(output, gold.present)
        row["absent"] = None if unwanted is None else 1 - unwanted
    else:
        row["present"] = row["absent"] = None
    return row


def measure(
    extractor: Extractor,
    labelled: LabelledSet,
    observe: Callable[[LabelledPage, str, Row], None] | None = None,
) -> SetScores:
    """Score an extractor on a set, site by site.

    Parameters
    ----------
    extractor
        What to measure. It sees all pages of a site together.
    labelled
        The set.
    observe
        Called for each scored page with its output and scores.

    Returns
    -------
    SetScores
        A row for each page with gold.
    """
    scores = SetScores()
    for site in labelled.sites():
        numbered = [(number, page, page.gold) for number, page in enumerate(site) if page.gold is not None]
        run = extractor.run([(page.url, page.html) for page in site], [number for number, _, _ in numbered])
        scores.crashed += run.crashed
        scores.timed_out += run.timed_out
        for (_, page, gold), text in zip(numbered, run.texts, strict=True):
            row = score_page(labelled.kind, gold, page.html, text)
            scores.add(page.type, page.site, row)
            if observe:
                observe(page, text, row)
    return scores


@dataclass(slots=True)
class Figures:
    """Means over a set or a part of it."""

    pages: int
    sites: int
    means: dict[str, Estimate]
    crashed: int = 0
    timed_out: int = 0


def summarise(sets: Iterable[LabelledSet], scores: Mapping[str, SetScores]) -> dict[str, Figures]:
    """Sum up one extractor's scores.

    Text sets and sets of values: means over pages, also by page type where a set has several;
    intervals from resampling sites. Sites: means over the pages of a site, then over sites,
    all and by part; intervals from resampling sites.

    Parameters
    ----------
    sets
        The sets.
    scores
        The extractor's scores by name of set; sets without scores are left out.

    Returns
    -------
    dict of str to Figures
        By name: ``wcxb-dev``, ``wcxb-dev/article``, ``sites/django``, ``sites``, ``sites/train``, …
    """
    summary: dict[str, Figures] = {}
    parts: dict[str, list[Figures]] = {}
    for labelled in sets:
        found = scores.get(labelled.name)
        if not found or not found.types:
            continue
        whole = _means(found, range(len(found.types)))
        whole.crashed, whole.timed_out = found.crashed, found.timed_out
        summary[labelled.name] = whole
        if labelled.kind == "site":
            for part in ("sites", f"sites/{labelled.part}"):
                parts.setdefault(part, []).append(whole)
            continue
        types = sorted(set(found.types))
        if labelled.kind == "text" and len(types) > 1:
            for name in types:
                rows = [number for number, own in enumerate(found.types) if own == name]
                summary[f"{labelled.name}/{name}"] = _means(found, rows)
    for part, members in sorted(parts.items()):
        summary[part] = _over_sites(members)
    return summary


def _means(scores: SetScores, rows: Sequence[int]) -> Figures:
    means = {}
    for name, column in scores.columns.items():
        kept = [(value, scores.sites[row]) for row in rows if (value := column[row]) is not None]
        if kept:
            means[name] = bootstrap_mean([value for value, _ in kept], [site for _, site in kept])
    return Figures(len(rows), len({scores.sites[row] for row in rows}), means)


def _over_sites(members: Sequence[Figures]) -> Figures:
    names = members[0].means
    return Figures(
        pages=sum(member.pages for member in members),
        sites=len(members),
        means={name: bootstrap_mean([member.means[name].mean for member in members]) for name in names},
        crashed=sum(member.crashed for member in members),
        timed_out=sum(member.timed_out for member in members),
    )
