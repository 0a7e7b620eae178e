"""The report on quality: Markdown tables of scores."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from benchmarks.support.auto_report import evidence_section, left_out_section
from benchmarks.support.cases import CASES
from lab.labelled.catalogue import CATALOGUE, FURTHER_SETS, PRODUCTS, SITES, TRAINING_HALVES
from lab.labelled.tables import Summaries, markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.labelled.measure import Figures

    Columns = Sequence[tuple[str, str]]
    """Set and score of each column of a table."""


_INTRO: Final = """\
# Quality

Words are compared as multisets (lower case; a CJK ideograph, kana or hangul syllable is a word).
Text sets: precision, recall and F1 a page, then the mean over pages. Sites: *kept* is the share of
the content's words in the output, *removed* the share of the other words that are not; the mean over
pages, then over sites. Sets of values: share of pages whose values are all still there. In brackets:
95 % bootstrap interval, resampling sites. Methods of this package see all pages of a site before
they clean one, as deboiler and chromerag-site do; the others see single pages, and *everything* is all
visible text.
**Bold**: the best of a column, *everything* aside.

Models may learn from {train} and `sites/train`; the other sets are for measuring only.
†: its model has learned from these pages, or from some of them; see *auto, not seen in training*.
‡: not measured on all sites of the group.
"""

_LEARNT: Final = {"chromerag": ("wcxb-dev",), "chromerag-site": ("wcxb-dev",)}
"""Sets that a model was trained on, by the name of the peer. The model of method auto names its own."""
_MADE_OF: Final = {"wcxb-dev": (PRODUCTS,), SITES: ("sites/train",)}
"""Sets that have pages of a set that a model was trained on."""
_UNMEASURED: Final = "–"  # cell of a figure that was not measured
_PRODUCTS: Final = """\
products: values intact

Pages of `wcxb-dev` of type product that show the price or the SKU that their JSON-LD, microdata or meta
elements state, and the pages of `swde-22` with a price. Share of the pages with a price whose price is still
there, the same for the SKU, and share of all pages whose values are all still there."""
"""Heading and introduction of the table on product pages."""


def quality_report(
    summaries: Summaries,
    ours: Sequence[str],
    note: str = "",
    *,
    by_page: Mapping[str, Figures] | None = None,
    left_out: Mapping[str, Figures] | None = None,
    parts: Mapping[str, str] | None = None,
) -> str:
    """Write the report on quality, with method auto page by page and on families its model has not seen."""
    names = {name for summary in summaries.values() for name in summary}
    text_sets = [name for name in _first_order(summaries) if _has(summaries, name, "precision")]
    whole = [name for name in text_sets if "/" not in name]
    further = [name for name in whole if name in (*FURTHER_SETS, *TRAINING_HALVES)]
    train = ", ".join(
        f"`{each.name}`" for each in CATALOGUE if each.part == "train" and each.name != PRODUCTS
    )
    sections = [_INTRO.format(train=train) + (f"\n{note}\n" if note else "")]

    def add(title: str, columns: Columns, intervals: Sequence[str] = ours, *, titles: bool = True) -> None:
        if columns:
            sections.append(f"## {title}\n\n{_scores(summaries, intervals, columns, titles=titles)}")

    for title, group in (
        ("Main content", [name for name in whole if name not in further]),
        ("Main content of further sets", further),
    ):
        add(f"{title}: F1", [(name, "f1") for name in group], titles=False)
        both = [(name, score) for name in group for score in ("precision", "recall")]
        add(f"{title}: precision and recall", both, ())
    sections += [section for name in whole if (section := _by_part(summaries, name, text_sets))]
    groups = [name for name in ("sites", "sites/train", "sites/test") if name in names]
    add("Sites", [(name, score) for name in groups for score in ("kept", "removed", "f1")])
    values = [name for name in _first_order(summaries) if _has(summaries, name, "intact")]
    swde = [name for name in values if name.startswith("swde-")]
    add("SWDE: attribute values intact", [(name, "intact") for name in swde], titles=False)
    others = [name for name in values if name != PRODUCTS and name not in swde]
    shares = [(name, score) for name in others for score in ("values", "intact")]
    add("Values that a person would extract: share kept, and pages that kept all", shares)
    scores = [score for score in ("price", "sku", "intact") if _has(summaries, PRODUCTS, score)]
    add(_PRODUCTS, [(PRODUCTS, score) for score in scores])
    cases = [(CASES, "held")] if CASES in names else []
    add("Small cases, each a kind of fault: share that holds", cases)
    if "auto" in summaries:
        sections.append(evidence_section(summaries["auto"], by_page or {}))
        sections.append(_unseen())
    if left_out:
        sections.append(left_out_section(left_out, parts or {}))
    sections.append("## Pages that failed\n\n" + _failures(summaries))
    return "\n\n".join(section.rstrip("\n") for section in sections) + "\n"


def _first_order(summaries: Summaries) -> list[str]:
    return list(dict.fromkeys(name for summary in summaries.values() for name in summary))


def _by_part(summaries: Summaries, name: str, text_sets: Sequence[str]) -> str:
    """Make the section on the page types or languages of a set; empty where it has one only."""
    parts = [(part, "f1") for part in text_sets if part.startswith(f"{name}/")]
    if not parts:
        return ""
    by = next((each.by for each in CATALOGUE if each.name == name), "type")
    title = f"## {name} by {'language' if by == 'lang' else by}: F1\n\n"
    snippets = [(name, score) for score in ("present", "absent") if _has(summaries, name, score)]
    if snippets:
        title += (
            "The last columns: share of the snippets that must be in the output and are (*present*), and "
            "that must not be and are not (*absent*).\n\n"
        )
    return title + _scores(summaries, (), parts + snippets, short=f"{name}/")


def _has(summaries: Summaries, name: str, score: str) -> bool:
    return any(name in summary and score in summary[name].means for summary in summaries.values())


def _scores(
    summaries: Summaries,
    with_interval: Sequence[str],
    columns: Columns,
    *,
    titles: bool = False,
    short: str = "",
) -> str:
    """Make a table of scores, one row an extractor, some with intervals; sets' names lose ``short``."""
    rivals = {label: summary for label, summary in summaries.items() if not label.startswith("everything ")}
    pages = {
        name: max((summary[name].pages for summary in summaries.values() if name in summary), default=0)
        for name, _ in columns
    }
    best: dict[tuple[str, str], float] = {}
    for name, score in columns:
        means = [
            summary[name].means[score].mean
            for label, summary in rivals.items()
            if name in summary and score in summary[name].means and not _learned(label, name)
            if summary[name].pages == pages[name]
        ]
        best[name, score] = max(means, default=0)

    def cell(extractor: str, name: str, score: str) -> str:
        figures = summaries[extractor].get(name)
        if figures is None or score not in figures.means:
            return _UNMEASURED
        mean, low, high = figures.means[score]
        text = f"{mean:.3f}"
        signs = "†" * _learned(extractor, name) + "‡" * (figures.pages < pages[name])
        if not signs and extractor in rivals and len(rivals) > 1 and text == f"{best[name, score]:.3f}":
            text = f"**{text}**"
        text += signs
        return f"{text} [{low:.3f}, {high:.3f}]" if extractor in with_interval else text

    sizes = {
        (name, score): next(
            s[name].known.get(score, s[name].pages)
            for s in summaries.values()
            if name in s and score in s[name].means
        )
        for name, score in columns
    }
    obvious = () if titles else ("f1", "intact")
    header = [
        f"{name.removeprefix(short)}{'' if score in obvious else f' {score}'} ({sizes[name, score]})"
        for name, score in columns
    ]
    rows = [[extractor, *(cell(extractor, *column) for column in columns)] for extractor in summaries]
    return markdown_table(["", *header], [row for row in rows if {*row[1:]} != {_UNMEASURED}])


def _learned(extractor: str, name: str) -> bool:
    """Tell whether the model of a method, or of a peer with its version, was trained on a set."""
    base = extractor.partition(" ")[0]
    sets = _auto_inputs() if base == "auto" else _LEARNT.get(base, ())
    sets += tuple(made for each in sets for made in _MADE_OF.get(each, ()))
    return name in sets or any(name.startswith(f"{each}/") for each in sets if each != SITES)


@cache
def _auto_inputs() -> tuple[str, ...]:
    """Read the names of the sets that the model of method auto was trained on."""
    from detemplate.detectors.auto.model import model_of

    return tuple(model_of("").about["inputs"])


def _unseen() -> str:
    """Show the F1 of method auto on families of sites that were held out of training."""
    from detemplate.detectors.auto.model import model_of

    scores = model_of("").about["unseen"]
    rows = [
        [name, f"{mean:.3f} [{low:.3f}, {high:.3f}]", str(pages)]
        for name, (mean, low, high, pages) in scores.items()
    ]
    return (
        "## auto, not seen in training: F1\n\nBy five-fold cross-validation when the model was trained, each "
        "page by itself, of the pages that show something; of a site with three pages or more, at most ten. "
        "*sites* are those of `sites/train`. Of values: the share that is kept.\n\n"
        + markdown_table(["", "F1", "pages"], rows)
    )


def _failures(summaries: Summaries) -> str:
    rows = []
    for extractor, summary in summaries.items():
        groups = [figures for name, figures in summary.items() if "/" not in name]
        crashed, late = sum(g.crashed for g in groups), sum(g.timed_out for g in groups)
        rows.append([extractor, str(sum(g.pages for g in groups)), str(crashed), str(late)])
    return markdown_table(["", "pages", "crashed", "stopped after 30 s"], rows)
