"""The report on template expressions: injected template, mirrors, labelled sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lab.expressions.injection import SHARES, ratio
from lab.expressions.mirrors import METHODS
from lab.expressions.runs import DEFAULT, HYPHENS, LEVELS, ONE, SCORED, TWO, Setting
from lab.expressions.slots import COVERED, KINDS, OWN
from lab.harness.charts import COLOURS, estimate_bars, panel_grid
from lab.harness.experiment import Report
from lab.harness.tables import cell, section
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import markdown_table, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from detemplate.expressions.remove import Locality
    from lab.expressions.measure import Results
    from lab.expressions.runs import CollectionOutcome
    from lab.labelled.bootstrap import Estimate

    Score = Callable[[CollectionOutcome], float | None]

_INTRO: Final = """\
# Template expressions on known template

Foschini: *Parameter-Free Template Detection* (2007), the evaluation that section 6.1 proposes. The
templates of {sites} real sites, in blocks of which two are in all documents and each of the others in 10 to
80 %, are put into clean documents; each collection is mined, and up to {scored} documents of it and {scored}
held out, which have fresh values in their slots, are cleaned. *Recall*: share of the injected characters
that are removed; *precision*: share of the removed characters that were injected; *lost*: share of the clean
text that is removed. White space does not count. Means over collections ({seeds} a site); in brackets 95 %
bootstrap intervals, resampling sites. Unless said otherwise: 50 English documents, slots that the mutable
patterns cover, those patterns, held-out documents, one level, `merge_gap={gap}`, `min_sliver={sliver}`.
"""
ALL_SHARES: Final = (1.0, *SHARES)  # shares of the documents that have a block, falling
OFTEN: Final = 0.5  # share of the documents from which a block is above every cut-off of the histogram
DISTANCES: Final = ("distance", "to_clean", "equal")
_BASE: Final = Setting()


def select(
    results: Results,
    setting: Setting = _BASE,
    level: str = ONE,
    *,
    held_out: bool = True,
    locality: Locality = DEFAULT,
) -> list[CollectionOutcome]:
    """Select the results of one setting: one a collection."""
    wanted = (setting, level, held_out, locality)
    return [
        each
        for each in results.outcomes
        if (each.setting, each.level, each.held_out, each.locality) == wanted
    ]


def sizes(results: Results) -> list[int]:
    """Return the numbers of documents that were tried with all other settings at their defaults."""
    tried = {outcome.setting for outcome in results.outcomes}
    return sorted(setting.documents for setting in tried if setting == Setting(setting.documents))


def estimate(outcomes: Iterable[CollectionOutcome], score: Score) -> Estimate | None:
    """Average a score over collections, with its interval from resampling sites; None where none has it."""
    known = [(value, outcome.site) for outcome in outcomes if (value := score(outcome)) is not None]
    return bootstrap_mean([value for value, _ in known], [site for _, site in known]) if known else None


recall, precision, lost = (attrgetter(f"tally.{name}") for name in ("recall", "precision", "lost"))


def on_blocks(chosen: Callable[[float, str], bool], kind: int | None = None) -> Score:
    """Score: recall on the blocks chosen by share and place; with `kind`, on the slots of this kind there."""

    def score(outcome: CollectionOutcome) -> float | None:
        mask = [chosen(*block) for block in zip(outcome.shares, outcome.places, strict=True)]
        counts = outcome.tally.blocks if kind is None else outcome.tally.slots[:, kind]
        return ratio(counts[mask].sum(axis=0))

    return score


def at_share(share: float) -> Score:
    """Score: recall on the blocks that this share of the documents have."""
    return on_blocks(lambda of_block, _: of_block == share)


def at_kind(number: int) -> Score:
    """Score: recall on the characters of one kind of slot, in blocks that `OFTEN` or more have."""
    return on_blocks(lambda share, _: share >= OFTEN, number)


def mirror_means(results: Results, setting: Setting, method: str) -> tuple[Estimate, ...]:
    """Average each of `DISTANCES` over pairs of mirrors."""
    pairs = [pair for pair in results.pairs if pair.setting == setting and pair.method == method]
    sites = [pair.sites for pair in pairs]
    return tuple(bootstrap_mean([getattr(pair, name) for pair in pairs], sites) for name in DISTANCES)


_SHOWN: Final = 12  # examples that are listed of each failure
_EXAMPLE_CHARACTERS: Final = 100
_TOKENS: Final = (
    "The thesis splits at white space in section 3.4, and in section 5.2 at hyphens, too: between the tokens "
    "of its expressions stands `[\\-\\s]+`."
)
_SLOTS: Final = {
    "none": "the site's own only",
    "covered": "and slots that patterns cover",
    "uncovered": "and slots that none covers",
}


def report(results: Results, note: str = "") -> Report:
    """Write the report, with a note below its introduction."""
    intro = _INTRO.format(
        sites=len({outcome.site for outcome in results.outcomes}), scored=SCORED, seeds=len(results.seeds),
        gap=DEFAULT.merge_gap, sliver=DEFAULT.min_sliver,
    )  # fmt: skip
    kinds = "Recall on the slots' own characters, in blocks that at least half of the documents have."
    mirrors = "Two templates, the same documents. *Distance*: edit distance on words over the words of the "
    mirrors += "longer text."
    sites = "As in the quality tables: all pages of a site are learned, then cleaned."
    sections = [
        section("Slots and mutable patterns", _by_slots(results)),
        section("Each kind of slot", kinds, _by_kind(results)),
        section("Number of documents", _by_size(results)),
        section("Share of the documents that have a block", "Recall.", _by_share(results)),
        section("Place", "Recall on blocks that at least half of the documents have.", _by_place(results)),
        section("Small pieces", "Two levels.", _by_locality(results)),
        section("Cut-off", _by_cut(results)),
        section("Tokens", _TOKENS, _by_token(results)),
        section("Languages", _by_language(results)),
        section("Mirrors", mirrors, _mirrors(results)),
        section("Labelled sites", sites, _quality(results)),
        section("Failures", _failures(results)),
    ]
    charts = {"documents": by_documents(results), "shares": by_share(results), "mirrors": by_method(results)}
    sources = results.sources
    record = {
        "seeds": results.seeds,
        "documents": {language: len(texts) for language, texts in sorted(sources.documents.items())},
        "templates": {template.site: sum(map(len, template.lines)) for template in sources.templates},
        "mirrors": [
            {**asdict(setting), "method": method}
            | dict(zip(DISTANCES, mirror_means(results, setting, method), strict=True))
            for setting in dict.fromkeys(pair.setting for pair in results.pairs)
            for method in METHODS
        ],
        "quality": {label: to_json(summary) for label, summary in results.quality.items()},
    }
    return Report(intro, sections, _rows(results), charts, record, note)


def _rows(results: Results) -> list[dict[str, Any]]:
    """List the means on injected template: a row for each setting, level, locality and part."""
    groups: dict[tuple[Any, ...], list[CollectionOutcome]] = {}
    for outcome in results.outcomes:
        key = (outcome.setting, outcome.level, outcome.locality, outcome.held_out)
        groups.setdefault(key, []).append(outcome)
    rows = []
    for (setting, level, locality, held_out), outcomes in groups.items():
        by_slot = {kind: estimate(outcomes, at_kind(number)) for number, kind in enumerate(KINDS)}
        of_sites: dict[str, list[CollectionOutcome]] = {}
        for outcome in outcomes:
            of_sites.setdefault(outcome.site, []).append(outcome)
        rows.append({
            **asdict(setting), "level": level, **asdict(locality),
            "cleaned": "held out" if held_out else "mined",
            "recall": estimate(outcomes, recall), "precision": estimate(outcomes, precision),
            "lost": estimate(outcomes, lost),
            "recall_by_share": {f"{share:g}": estimate(outcomes, at_share(share)) for share in ALL_SHARES},
            "recall_by_slot": {kind: value for kind, value in by_slot.items() if value is not None},
            "sites": {
                site: {"recall": _mean(map(recall, its)), "precision": _mean(map(precision, its))}
                for site, its in sorted(of_sites.items())
            },
        })  # fmt: skip
    return rows


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _share(value: Estimate | None) -> str:
    return cell(value, ".1p")


# A further column of some tables of scores.
_IN_ALL: Final = {
    "recall on blocks in all documents, %": lambda outcomes: _share(estimate(outcomes, at_share(1.0)))
}


def _scored(
    header: Sequence[str],
    rows: Iterable[tuple[Sequence[str], Sequence[CollectionOutcome]]],
    further: Mapping[str, Callable[[Sequence[CollectionOutcome]], str]] = MappingProxyType({}),
) -> str:
    """Write a table of recall, precision and loss: labels of each row, scores, further columns."""
    cells = []
    for labels, outcomes in rows:
        found = [_share(estimate(outcomes, score)) for score in (recall, precision)]
        removed = estimate(outcomes, lost)
        found.append(cell(removed.mean if removed else None, ".2p"))
        cells.append([*labels, *found, *(value(outcomes) for value in further.values())])
    return markdown_table([*header, "recall, %", "precision, %", "lost, %", *further], cells)


def _by_slots(results: Results) -> str:
    rows = [
        ([name, "with" if mutables else "without", level], select(results, setting, level))
        for slots, name in _SLOTS.items()
        for mutables in (False, True)
        for setting in [Setting(slots=slots, mutables=mutables)]
        for level in (LEVELS if mutables else (ONE, TWO))
    ]
    return _scored(["slots", "mutable patterns", "expressions"], rows, _IN_ALL)


def _by_kind(results: Results) -> str:
    rows = []
    for number, kind in enumerate(KINDS):
        slots = "covered" if kind in COVERED or kind == OWN else "uncovered"
        cells = [
            _share(estimate(select(results, Setting(slots=slots, mutables=mutables)), at_kind(number)))
            for mutables in (False, True)
        ]
        covered = "some" if kind == OWN else "yes" if slots == "covered" else "no"
        rows.append([f"`{kind}`" if kind != OWN else kind, covered, *cells])
    return markdown_table(["slot", "covered by a pattern", "without patterns, %", "with patterns, %"], rows)


def _by_size(results: Results) -> str:
    def cut(outcomes: Sequence[CollectionOutcome]) -> str:
        pairs = [(each.least_documents, each.setting.documents) for each in outcomes]
        cuts = [least / size for least, size in pairs if least is not None]
        return cell(float(np.mean(cuts)) if cuts else None, ".0p")

    def expressions(outcomes: Sequence[CollectionOutcome]) -> str:
        return f"{np.mean([each.expressions for each in outcomes]):.0f}"

    rows = []
    for size in sizes(results):
        for held_out in (False, True):
            labels = [str(size), "held out" if held_out else "mined"]
            rows += [
                ([*labels, level], select(results, Setting(size), level, held_out=held_out))
                for level in LEVELS
            ]
    further = {"cut-off, % of the documents": cut, "expressions": expressions}
    return _scored(["documents", "cleaned", "expressions"], rows, further)


def _by_share(results: Results) -> str:
    mined = {size: select(results, Setting(size), held_out=False) for size in sizes(results)}
    rows = [
        [f"{share:.0%}", *(_share(estimate(outcomes, at_share(share))) for outcomes in mined.values())]
        for share in ALL_SHARES
    ]
    return markdown_table(["share", *(f"{size} documents, %" for size in mined)], rows)


def _by_place(results: Results) -> str:
    outcomes = select(results)
    rows = []
    for place in dict.fromkeys(place for outcome in outcomes for place in outcome.places):
        often = on_blocks(lambda share, of_block: of_block == place and share >= OFTEN)  # noqa: B023
        rows.append([place, _share(estimate(outcomes, often))])
    return markdown_table(["place", "recall, %"], rows)


def _by_locality(results: Results) -> str:
    rows = []
    for locality in dict.fromkeys(outcome.locality for outcome in results.outcomes):
        for slots in ("covered", "uncovered"):
            outcomes = select(results, Setting(slots=slots), TWO, locality=locality)
            rows.append(([str(locality.merge_gap), str(locality.min_sliver), slots], outcomes))
    return _scored(["merge_gap", "min_sliver", "slots"], rows)


def _by_cut(results: Results) -> str:
    rows = []
    for setting in dict.fromkeys(outcome.setting for outcome in results.outcomes):
        if setting == Setting(cut=setting.cut):
            cut = "the histogram's" if setting.cut is None else f"{setting.cut:.0%}"
            rows += [([cut, level], select(results, setting, level)) for level in LEVELS]
    return _scored(["cut-off", "expressions"], rows)


def _by_token(results: Results) -> str:
    """Write the scores by what a token is."""
    rows = [
        ([f"`{setting.token}`", level], select(results, setting, level))
        for setting in (_BASE, Setting(token=HYPHENS))
        for level in LEVELS
    ]
    return _scored(["token", "expressions"], rows, _IN_ALL)


def _by_language(results: Results) -> str:
    tried = {outcome.setting for outcome in results.outcomes}
    rows = []
    for language in sorted({setting.language for setting in tried}):
        outcomes = select(results, Setting(20, language=language))
        if outcomes:
            rows.append(([language, str(len({outcome.site for outcome in outcomes}))], outcomes))
    return _scored(["20 documents in", "sites"], rows, _IN_ALL)


def _mirrors(results: Results) -> str:
    rows = [
        [str(setting.documents), setting.slots, method, *map(_share, mirror_means(results, setting, method))]
        for setting in dict.fromkeys(pair.setting for pair in results.pairs)
        for method in METHODS
    ]
    return markdown_table(
        ["documents", "slots", "method", "distance, %", "to the clean text, %", "equal pairs, %"], rows
    )


def _quality(results: Results) -> str:
    rows = []
    for label, summary in results.quality.items():
        figures = summary["sites"]
        rows.append([f"`{label}`", *(_share(figures.means[name]) for name in ("kept", "removed", "f1"))])
    sites = next((summary["sites"].sites for summary in results.quality.values()), 0)
    return markdown_table([f"{sites} sites", "kept, %", "removed, %", "F1, %"], rows)


def _failures(results: Results) -> str:
    parts = []
    for title, number, level in (
        ("Clean text that was removed, one level", 0, ONE),
        ("Clean text that was removed, two levels", 0, TWO),
        ("Template of blocks that was left, slots that no pattern covers", 1, TWO),
    ):
        setting = Setting(slots="uncovered") if number else Setting()
        examples: Counter[str] = Counter()
        for outcome in select(results, setting, level):
            of_collection = outcome.examples[number].items()
            examples.update({text[:_EXAMPLE_CHARACTERS]: count for text, count in of_collection})
        shown = sorted(examples.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
        lines = [f"- {count} × `{text.replace('`', chr(39))}`" for text, count in shown]
        parts.append(f"{title}:\n\n" + ("\n".join(lines) or "- none"))
    return "\n\n".join(parts)


_COLOURS: Final = (*COLOURS, "#64473a")


def _grid_row(panels: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Make a row of panels with grid lines; width and height of the figure in inches."""
    figure, axes = panel_grid(panels, panels, (width, height))
    for axis in axes:
        axis.grid(visible=True, alpha=0.3)
    return figure, axes


def _line(
    axis: Axes,
    xs: Sequence[float],
    values: Sequence[Estimate | None],
    colour: str,
    label: str,
    *,
    style: str = "-",
) -> None:
    """Draw means as a line and their intervals as a band, in per cent."""
    known = [(x, *value) for x, value in zip(xs, values, strict=True) if value is not None]
    x, mean, low, high = np.array(known).reshape(-1, 4).T
    axis.plot(x, 100 * mean, style, color=colour, label=label, marker="o", ms=3)
    axis.fill_between(x, 100 * low, 100 * high, color=colour, alpha=0.1, lw=0)


def by_documents(results: Results) -> Figure:
    """Draw recall and precision against the number of documents mined."""
    figure, axes = _grid_row(2, 9, 3.6)
    tried = sizes(results)
    for colour, level in zip(_COLOURS, LEVELS, strict=False):
        for held_out, style in ((True, "-"), (False, ":")):
            outcomes = [select(results, Setting(size), level, held_out=held_out) for size in tried]
            label = f"{level}, {'held out' if held_out else 'mined'}"
            for axis, score in zip(axes, (recall, precision), strict=True):
                _line(axis, tried, [estimate(its, score) for its in outcomes], colour, label, style=style)
    for axis, name in zip(axes, ("recall", "precision"), strict=True):
        axis.set_xscale("log")
        axis.set_xticks(tried, [str(size) for size in tried])
        axis.minorticks_off()
        axis.set(xlabel="documents mined", ylabel=f"{name} of removed characters, %")
    axes[1].legend(fontsize=7, frameon=False)
    return figure


def by_share(results: Results) -> Figure:
    """Draw recall against the share of the documents that have a block."""
    figure, (axis,) = _grid_row(1, 6, 3.8)
    shares = sorted(ALL_SHARES)
    for colour, size in zip(_COLOURS, sizes(results), strict=False):
        outcomes = select(results, Setting(size), held_out=False)
        values = [estimate(outcomes, at_share(share)) for share in shares]
        _line(axis, [100 * share for share in shares], values, colour, f"{size} documents")
    axis.set(xlabel="share of the documents that have a block, %", ylabel="recall, %")
    axis.legend(fontsize=8, frameon=False)
    return figure


def by_method(results: Results) -> Figure:
    """Draw the edit distance between mirrors by method, one panel a setting."""
    tried = list(dict.fromkeys(pair.setting for pair in results.pairs))
    figure, axes = _grid_row(max(1, len(tried)), 4 + 2.2 * len(tried), 2.8)
    for axis, setting in zip(axes, tried, strict=False):
        distances = 100 * np.array([mirror_means(results, setting, method)[0] for method in METHODS])
        names = METHODS if axis is axes[0] else [""] * len(METHODS)
        estimate_bars(axis, names, distances, color=_COLOURS[: len(METHODS)], alpha=0.8)
        axis.tick_params(axis="y", labelsize=8)
        axis.set_title(f"{setting.documents} documents, slots {setting.slots}", fontsize=8)
    figure.supxlabel("edit distance between mirrors, % of the words", fontsize=9)
    return figure
