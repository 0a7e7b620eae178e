"""The report on quality: Markdown tables of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.labelled.tables import Summaries, markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence


_INTRO: Final = """\
# Quality

Words are compared as multisets (lower case; a CJK ideograph, kana or hangul syllable is a word).
Text sets: precision, recall and F1 a page, then the mean over pages. Sites: *kept* is the share of
the content's words in the output, *removed* the share of the other words that are not; the mean over
pages, then over sites. SWDE: share of pages whose attribute values are all still there. In brackets:
95 % bootstrap interval, resampling sites. Methods of this package see all pages of a site before
they clean one, as deboiler and chromerag-site do; the others see single pages, and *everything* is all
visible text.
**Bold**: the best of a column, *everything* aside.

`wcxb-dev` and `sites/train` are open for development; the other sets are for measuring only.
†: its model has learnt from these pages, or from some of them; for `auto`, see the last section but one.
"""

_LEARNT: Final = {
    "auto": ("wcxb-dev", "sites/train", "sites"),
    "chromerag": ("wcxb-dev",),
    "chromerag-site": ("wcxb-dev",),
}
"""Sets that a model was trained on, by the name of the method or peer."""


def quality_report(summaries: Summaries, ours: Sequence[str], note: str = "") -> str:
    """Write the report on quality.

    Parameters
    ----------
    summaries
        Figures of every extractor.
    ours
        Names of this package's methods; their scores come with intervals.
    note
        A line below the introduction, for example the names of the measured sets.

    Returns
    -------
    str
        Markdown.
    """
    names = {name for summary in summaries.values() for name in summary}
    text_sets = [name for name in _first_order(summaries) if _has(summaries, name, "precision")]
    whole = [name for name in text_sets if "/" not in name]
    sections = [_INTRO + (f"\n{note}\n" if note else "")]
    if whole:
        sections.append("## Main content: F1\n\n" + _scores(summaries, ours, [(n, "f1") for n in whole]))
        both = [(name, score) for name in whole for score in ("precision", "recall")]
        sections.append(
            "## Main content: precision and recall\n\n" + _scores(summaries, (), both, titles=True)
        )
    for name in whole:
        parts = [part for part in text_sets if part.startswith(f"{name}/")]
        if parts:
            columns = [(part, "f1") for part in parts]
            snippets = [(name, score) for score in ("present", "absent") if _has(summaries, name, score)]
            sections.append(
                f"## {name} by type: F1\n\nThe last columns: share of the snippets that must be in the output"
                " and are (*present*), and that must not be and are not (*absent*).\n\n"
                + _scores(summaries, (), columns + snippets, short=f"{name}/")
            )
    groups = [name for name in ("sites", "sites/train", "sites/test") if name in names]
    if groups:
        columns = [(name, score) for name in groups for score in ("kept", "removed", "f1")]
        sections.append("## Sites\n\n" + _scores(summaries, ours, columns, titles=True))
    values = [name for name in _first_order(summaries) if _has(summaries, name, "intact")]
    if values:
        sections.append(
            "## SWDE: attribute values intact\n\n" + _scores(summaries, ours, [(n, "intact") for n in values])
        )
    if "auto" in summaries:
        sections.append(_unseen())
    sections.append("## Pages that failed\n\n" + _failures(summaries))
    return "\n\n".join(section.rstrip("\n") for section in sections) + "\n"


def _first_order(summaries: Summaries) -> list[str]:
    return list(dict.fromkeys(name for summary in summaries.values() for name in summary))


def _has(summaries: Summaries, name: str, score: str) -> bool:
    return any(name in summary and score in summary[name].means for summary in summaries.values())


def _scores(
    summaries: Summaries,
    with_interval: Sequence[str],
    columns: Sequence[tuple[str, str]],
    *,
    titles: bool = False,
    short: str = "",
) -> str:
    """Make a table.

    Parameters
    ----------
    summaries
        Figures by extractor; one row each.
    with_interval
        Extractors whose scores come with intervals.
    columns
        Set and score of each column.
    titles
        Whether the columns' titles name main scores, too.
    short
        Prefix that is left out of the sets' names.
    """
    rivals = {label: summary for label, summary in summaries.items() if not label.startswith("everything ")}
    best: dict[tuple[str, str], float] = {}
    for name, score in columns:
        means = [
            summary[name].means[score].mean
            for label, summary in rivals.items()
            if name in summary and score in summary[name].means and not _learnt(label, name)
        ]
        best[name, score] = max(means, default=0)

    def cell(extractor: str, name: str, score: str) -> str:
        figures = summaries[extractor].get(name)
        if figures is None or score not in figures.means:
            return "–"
        mean, low, high = figures.means[score]
        text = f"{mean:.3f}"
        if _learnt(extractor, name):
            text += "†"
        elif extractor in rivals and len(rivals) > 1 and text == f"{best[name, score]:.3f}":
            text = f"**{text}**"
        return f"{text} [{low:.3f}, {high:.3f}]" if extractor in with_interval else text

    sizes = {name: next(s[name].pages for s in summaries.values() if name in s) for name, _ in columns}
    obvious = () if titles else ("f1", "intact")
    header = [
        f"{name.removeprefix(short)}{'' if score in obvious else f' {score}'} ({sizes[name]})"
        for name, score in columns
    ]
    rows = [[extractor, *(cell(extractor, *column) for column in columns)] for extractor in summaries]
    return markdown_table(["", *header], rows)


def _learnt(extractor: str, name: str) -> bool:
    """Tell whether the model of a method, or of a peer with its version, was trained on a set."""
    sets = _LEARNT.get(extractor.partition(" ")[0], ())
    return name in sets or any(name.startswith(f"{each}/") for each in sets if each != "sites")


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
        "page by itself. *pages* are those of `wcxb-dev` that show something; *sites* are ten of each site "
        "of `sites/train`.\n\n" + markdown_table(["", "F1", "pages"], rows)
    )


def _failures(summaries: Summaries) -> str:
    rows = []
    for extractor, summary in summaries.items():
        groups = [figures for name, figures in summary.items() if "/" not in name]
        crashed, late = sum(g.crashed for g in groups), sum(g.timed_out for g in groups)
        rows.append([extractor, str(sum(g.pages for g in groups)), str(crashed), str(late)])
    return markdown_table(["", "pages", "crashed", "stopped after 30 s"], rows)
