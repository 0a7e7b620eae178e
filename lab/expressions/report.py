"""The report on template expressions: injected template, mirrors, labelled sites."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from lab.expressions.mirrors import METHODS
from lab.expressions.runs import DEFAULT, LEVELS, ONE, SCORED, TWO, Setting
from lab.expressions.slots import COVERED, KINDS, OWN
from lab.expressions.summary import (
    ALL_SHARES,
    at_kind,
    at_place,
    at_share,
    estimate,
    lost,
    mirror_means,
    precision,
    recall,
    select,
    sizes,
)
from lab.harness.reporting import join_sections
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.expressions.runs import CollectionOutcome
    from lab.expressions.summary import Results
    from lab.labelled.bootstrap import Estimate

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
"""Title and introduction in Markdown, with fields for ``str.format``."""

_SHOWN: Final = 12
"""Examples that are listed of each failure."""
_EXAMPLE_CHARACTERS: Final = 100
"""Characters of an example that are shown."""
_SCORES: Final = ["recall, %", "precision, %", "lost, %"]
"""Titles of the columns of `_scores`."""
_SLOTS: Final = {
    "none": "the site's own only",
    "covered": "and slots that patterns cover",
    "uncovered": "and slots that none covers",
}
"""What the report calls the slots of a setting."""


def report(results: Results, note: str = "") -> str:
    """Write the report as Markdown, with a note below its introduction."""
    intro = _INTRO.format(
        sites=len({outcome.site for outcome in results.outcomes}), scored=SCORED, seeds=len(results.seeds),
        gap=DEFAULT.merge_gap, sliver=DEFAULT.min_sliver,
    )  # fmt: skip
    sections = [
        "## Slots and mutable patterns\n\n" + _by_slots(results),
        "## Each kind of slot\n\nRecall on the slots' own characters, in blocks that at least half of the "
        "documents have.\n\n" + _by_kind(results),
        "## Number of documents\n\n" + _by_size(results),
        "## Share of the documents that have a block\n\nRecall.\n\n" + _by_share(results),
        "## Place\n\nRecall on blocks that at least half of the documents have.\n\n" + _by_place(results),
        "## Small pieces\n\nTwo levels.\n\n" + _by_locality(results),
        "## Cut-off\n\n" + _by_cut(results),
        "## Languages\n\n" + _by_language(results),
        "## Mirrors\n\nTwo templates, the same documents. *Distance*: edit distance on words over the words "
        "of the longer text.\n\n" + _mirrors(results),
        "## Labelled sites\n\nAs in the quality tables: all pages of a site are learnt, then cleaned.\n\n"
        + _quality(results),
        "## Failures\n\n" + _failures(results),
    ]
    return join_sections(intro, note, sections)


def _interval(value: Estimate | None) -> str:
    """Format a share with its interval in per cent, without the sign; a dash for None."""
    if value is None:
        return "–"
    mean, low, high = (f"{100 * part:.1f}" for part in value)
    return f"{mean} [{low}, {high}]"


def _scores(outcomes: Sequence[CollectionOutcome]) -> list[str]:
    """Write the cells of the columns `_SCORES`."""
    removed = estimate(outcomes, lost)
    return [
        *(_interval(estimate(outcomes, score)) for score in (recall, precision)),
        "–" if removed is None else f"{100 * removed.mean:.2f}",
    ]


def _by_slots(results: Results) -> str:
    rows = []
    for slots, name in _SLOTS.items():
        for mutables in (False, True):
            for level in LEVELS if mutables else (ONE, TWO):
                outcomes = select(results, Setting(slots=slots, mutables=mutables), level)
                in_all = _interval(estimate(outcomes, at_share(1.0)))
                rows.append([name, "with" if mutables else "without", level, *_scores(outcomes), in_all])
    return markdown_table(
        ["slots", "mutable patterns", "expressions", *_SCORES, "recall on blocks in all documents, %"], rows
    )


def _by_kind(results: Results) -> str:
    rows = []
    for number, kind in enumerate(KINDS):
        slots = "covered" if kind in COVERED or kind == OWN else "uncovered"
        cells = [
            _interval(estimate(select(results, Setting(slots=slots, mutables=mutables)), at_kind(number)))
            for mutables in (False, True)
        ]
        covered = "some" if kind == OWN else "yes" if slots == "covered" else "no"
        rows.append([f"`{kind}`" if kind != OWN else kind, covered, *cells])
    return markdown_table(["slot", "covered by a pattern", "without patterns, %", "with patterns, %"], rows)


def _by_size(results: Results) -> str:
    rows = []
    for size in sizes(results):
        for held_out in (False, True):
            for level in LEVELS:
                outcomes = select(results, Setting(size), level, held_out=held_out)
                cuts = [each.least_documents / size for each in outcomes if each.least_documents is not None]
                rows.append(
                    [
                        str(size), "held out" if held_out else "mined", level, *_scores(outcomes),
                        f"{100 * float(np.mean(cuts)):.0f}" if cuts else "–",
                        f"{np.mean([each.expressions for each in outcomes]):.0f}",
                    ]
                )  # fmt: skip
    return markdown_table(
        ["documents", "cleaned", "expressions", *_SCORES, "cut-off, % of the documents", "expressions"], rows
    )


def _by_share(results: Results) -> str:
    columns = sizes(results)
    rows = [
        [
            f"{share:.0%}",
            *(
                _interval(estimate(select(results, Setting(size), held_out=False), at_share(share)))
                for size in columns
            ),
        ]
        for share in ALL_SHARES
    ]
    return markdown_table(["share", *(f"{size} documents, %" for size in columns)], rows)


def _by_place(results: Results) -> str:
    outcomes = select(results)
    places = dict.fromkeys(place for outcome in outcomes for place in outcome.places)
    rows = [[place, _interval(estimate(outcomes, at_place(place)))] for place in places]
    return markdown_table(["place", "recall, %"], rows)


def _by_locality(results: Results) -> str:
    rows = []
    for locality in dict.fromkeys(outcome.locality for outcome in results.outcomes):
        for slots in ("covered", "uncovered"):
            outcomes = select(results, Setting(slots=slots), TWO, locality=locality)
            rows.append([str(locality.merge_gap), str(locality.min_sliver), slots, *_scores(outcomes)])
    return markdown_table(["merge_gap", "min_sliver", "slots", *_SCORES], rows)


def _by_cut(results: Results) -> str:
    tried = dict.fromkeys(outcome.setting for outcome in results.outcomes)
    cuts = [setting.cut for setting in tried if setting == Setting(cut=setting.cut)]
    rows = [
        [
            "the histogram's" if cut is None else f"{cut:.0%}",
            level,
            *_scores(select(results, Setting(cut=cut), level)),
        ]
        for cut in cuts
        for level in LEVELS
    ]
    return markdown_table(["cut-off", "expressions", *_SCORES], rows)


def _by_language(results: Results) -> str:
    rows = []
    tried = {outcome.setting for outcome in results.outcomes}
    by_language = [setting for setting in tried if setting == Setting(20, language=setting.language)]
    for setting in sorted(by_language, key=lambda setting: setting.language):
        outcomes = select(results, setting)
        in_all = _interval(estimate(outcomes, at_share(1.0)))
        sites = len({outcome.site for outcome in outcomes})
        rows.append([setting.language, str(sites), *_scores(outcomes), in_all])
    return markdown_table(
        ["20 documents in", "sites", *_SCORES, "recall on blocks in all documents, %"], rows
    )


def _mirrors(results: Results) -> str:
    rows = [
        [
            str(setting.documents),
            setting.slots,
            method,
            *map(_interval, mirror_means(results, setting, method)),
        ]
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
        rows.append([f"`{label}`", *(_interval(figures.means[name]) for name in ("kept", "removed", "f1"))])
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
