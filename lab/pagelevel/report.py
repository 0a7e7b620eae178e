"""The report on page-level template detection: the paper's table 1 and figures for our sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH
from lab.harness.reporting import join_sections
from lab.labelled.tables import markdown_table
from lab.pagelevel.counts import MEASURES
from lab.pagelevel.runs import DEFAULTS, EVERYTHING, FORMS, MIN_ALIGNED, Setting
from lab.pagelevel.summary import over_groups, smooth_settings, threshold_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.labelled.bootstrap import Estimate
    from lab.pagelevel.summary import GroupFigures

PAPER: Final = {
    "paper, COMMON (44)": ((0.56, 0.60), (0.65, 0.71), (0.69, 0.73)),
    "paper, RANDOM (100)": ((0.63, 0.66), (0.71, 0.73), (0.75, 0.77)),
}
"""F in the paper's table 1: (basic, smooth) of text, anchor text and links."""

_INTRO: Final = """\
# Page-level templateness

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), section 6.1, on
{pages:,} pages of {sites:,} sites. `basic`: the classifier's scores; `smooth`: smoothed over the tree,
penalty {factor:g} × {penalty}; `basic+merge`: adjacent texts whose scores differ by less than δ together;
`everything`: the whole page is template. *F*: harmonic mean of precision and recall of the words, the words
inside links, and the links that are template; the mean over pages that have any. In brackets: 95 %
bootstrap interval, resampling sites. Layouts: {rendered:,} pages rendered, {estimated:,} estimated.
"""
"""Title and introduction in Markdown, with fields for ``str.format``."""

_POOLED: Final = """\
*P*, *R*: precision and recall over all words (links) of a set. *Share of template*: of all words (links).
"""
"""Introduction of the section on all pages of a set together."""

_SEGMENTATION: Final = """\
δ of `basic+merge` is the best of those tried on the very same pages, as in the paper; so is the factor of
*best factor*. *Sections*: sections a page among its labelled texts.
"""
"""Introduction of the section on segmentation."""

_FORMS: Final = """\
Means over the sets, each weighing the same, with the default c and with the factors that give the greatest F
of text and the greatest adjusted Rand index. *area*: A/A_i; *nodes*: N/N_i; *parent*: A_parent/A_i.
"""
"""Introduction of the section on the forms of the penalty."""

_THRESHOLD: Final = """\
The detector calls template what scores above 0.5. Here the best of several thresholds for each set and
measure, chosen on the very same pages.
"""
"""Introduction of the section on the best thresholds."""

_LABELS: Final = f"""\
The oracle keeps the segments that are labelled content, and is scored as an extractor. Left out: pages whose
gold has no content, that show less than {100 * MIN_ALIGNED:.0f} % of its words, or that are no pages.
"""
"""Introduction of the section on the labels."""


def report(figures: Sequence[GroupFigures], settings: Sequence[Setting], note: str = "") -> str:
    """Write the report as Markdown, with a note below its introduction; at least one group."""
    pages = sum(len(each.group.pages) for each in figures)
    rendered = sum(each.group.rendered for each in figures)
    intro = _INTRO.format(
        pages=pages,
        sites=len({site for each in figures for site in each.group.sites}),
        factor=DEFAULTS.factor,
        penalty={"area": "A/A_i", "nodes": "N/N_i", "parent": "A_parent/A_i"}.get(
            DEFAULTS.penalty, DEFAULTS.penalty
        ),
        rendered=rendered,
        estimated=pages - rendered,
    )
    sections = {
        "Template detected: F (table 1)": _detection(figures),
        "All pages of a set together": f"{_POOLED}\n{_pooled(figures)}",
        "Segmentation: adjusted Rand index (figure 1)": _SEGMENTATION
        + "\n"
        + _segmentation(figures, settings),
        "Penalty: F of text (figure 2)": _penalty(figures, settings, 0),
        "Penalty: F of anchor text (figure 2)": _penalty(figures, settings, 1),
        "Penalty: F of links (figure 2)": _penalty(figures, settings, 2),
        "Penalty: adjusted Rand index (figure 3)": _penalty(figures, settings, None),
        "Forms of the penalty": f"{_FORMS}\n{_forms(figures, settings)}",
        "Threshold: F at the best": f"{_THRESHOLD}\n{_thresholds(figures, settings)}",
        "Threshold: F of text": _by_threshold(figures, settings),
        "Labels": f"{_LABELS}\n{_labels(figures)}",
    }
    return join_sections(intro, note, [f"## {title}\n\n{text}" for title, text in sections.items()])


def _interval(estimate: Estimate, *, sign: bool = False) -> str:
    """Format a mean with its interval, with three decimals; a dash for NaN."""
    if np.isnan(estimate.mean):
        return "–"
    form = "+.3f" if sign else ".3f"
    text = f"{estimate.mean:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"
    return text.replace("-", "−")


def _number(value: float) -> str:
    """Format a number with three decimals; a dash for NaN."""
    return "–" if np.isnan(value) else f"{value:.3f}".replace("-", "−")


def _title(figures: GroupFigures) -> str:
    """Format the name of a group with its number of pages."""
    return f"{figures.name} ({len(figures.group.pages)})"


def _detection(figures: Sequence[GroupFigures]) -> str:
    rows = []
    for name, measures in PAPER.items():
        for measure, (basic, smooth) in zip(MEASURES, measures, strict=True):
            gain = f"{smooth - basic:+.2f}"
            rows.append([name, measure, "", f"{basic:.2f}", "", f"{smooth:.2f}", gain])
    for each in figures:
        variants = each.variants
        for place, measure in enumerate(MEASURES):
            rows.append(
                [
                    _title(each),
                    measure,
                    _number(each.f_mean(variants[EVERYTHING], place)),
                    _interval(each.f(variants[BASIC], place)),
                    _number(each.f_mean(variants[MERGE], place)),
                    _interval(each.f(variants[SMOOTH], place)),
                    _interval(each.gain(variants[SMOOTH], variants[BASIC], place), sign=True),
                ]
            )
    return markdown_table(["", "of", EVERYTHING, BASIC, MERGE, SMOOTH, "smooth − basic"], rows)


def _pooled(figures: Sequence[GroupFigures]) -> str:
    rows = []
    for each in figures:
        for place, measure in enumerate(MEASURES):
            row = [_title(each), measure, f"{each.template_share[place]:.3f}"]
            for variant in (BASIC, MERGE, SMOOTH):
                row += [f"{value:.3f}" for value in each.pooled(each.variants[variant], place)]
            rows.append(row)
    header = ["", "of", "share of template"]
    header += [f"{variant} {name}" for variant in (BASIC, MERGE, SMOOTH) for name in ("P", "R", "F")]
    return markdown_table(header, rows)


def _segmentation(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    rows = []
    for each in figures:
        merge, smooth = each.variants[MERGE], each.variants[SMOOTH]
        best = max(smooth_settings(settings), key=each.rand_mean)
        rows.append(
            [
                _title(each),
                _interval(each.rand(each.variants[BASIC])),
                f"{_interval(each.rand(merge))} (δ = {merge.delta:g})",
                _interval(each.rand(smooth)),
                _interval(each.rand_gain(smooth, merge), sign=True),
                f"{_number(each.rand_mean(best))} (× {best.factor:g})",
                f"{each.labelled_sections:.1f}",
                *(f"{each.sections(setting):.1f}" for setting in (each.variants[BASIC], merge, smooth, best)),
            ]
        )
    header = ["", BASIC, MERGE, SMOOTH, "smooth − merge", "best factor", "sections a page: labels"]
    return markdown_table([*header, BASIC, MERGE, SMOOTH, "best factor"], rows)


def _penalty(figures: Sequence[GroupFigures], settings: Sequence[Setting], measure: int | None) -> str:
    """Write a table by factor of the penalty: F of a measure, or for None the adjusted Rand index."""

    def mean(each: GroupFigures, setting: Setting) -> float:
        return each.rand_mean(setting) if measure is None else each.f_mean(setting, measure)

    rows = [[BASIC, *(_number(mean(each, each.variants[BASIC])) for each in figures)]]
    smoothed = smooth_settings(settings)
    best = [max(mean(each, setting) for setting in smoothed) for each in figures]
    for setting in smoothed:
        values = [mean(each, setting) for each in figures]
        marked = [
            f"**{_number(value)}**" if value == most else _number(value)
            for value, most in zip(values, best, strict=True)
        ]
        rows.append([f"× {setting.factor:g}", *marked])
    return markdown_table(["factor", *(_title(each) for each in figures)], rows)


def _forms(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    rows = []
    basic = over_groups(figures, [Setting(BASIC)])[0][1]
    rows.append([BASIC, *map(_number, basic), "", ""])
    for form in (DEFAULTS.penalty, *FORMS):
        means = over_groups(figures, smooth_settings(settings, form))
        by_default = next(values for setting, values in means if setting.factor == 1)
        cells = []
        for place in (0, len(MEASURES)):
            setting, values = max(means, key=lambda each, at=place: each[1][at])  # type: ignore[misc]
            cells.append(f"{_number(values[place])} (× {setting.factor:g})")
        rows.append([form, *map(_number, by_default), *cells])
    header = ["penalty", *(f"F of {measure}" for measure in MEASURES), "adjusted Rand"]
    return markdown_table([*header, "best F of text", "best adjusted Rand"], rows)


def _thresholds(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    rows = []
    for each in figures:
        for place, measure in enumerate(MEASURES):
            row, best = [_title(each), measure], {}
            for variant in (BASIC, SMOOTH):
                of_variant = threshold_settings(settings, variant)
                best[variant] = max(of_variant, key=lambda setting, of=place: each.f_mean(setting, of))  # type: ignore[misc]
                value, threshold = each.f_mean(best[variant], place), best[variant].threshold
                row += [_number(each.f_mean(Setting(variant), place)), f"{_number(value)} (> {threshold:g})"]
            rows.append([*row, _interval(each.gain(best[SMOOTH], best[BASIC], place), sign=True)])
    header = ["", "of", f"{BASIC} > 0.5", f"{BASIC}, best", f"{SMOOTH} > 0.5", f"{SMOOTH}, best"]
    return markdown_table([*header, "smooth − basic, both best"], rows)


def _by_threshold(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    rows = []
    for variant in (BASIC, SMOOTH):
        for setting in threshold_settings(settings, variant):
            values = [_number(each.f_mean(setting, 0)) for each in figures]
            rows.append([f"{variant} > {setting.threshold:g}", *values])
    return markdown_table(["", *(_title(each) for each in figures)], rows)


def _labels(figures: Sequence[GroupFigures]) -> str:
    rows = [
        [
            each.name,
            str(len(each.group.pages)),
            f"{np.mean(each.group.oracle):.3f}",
            *(f"{share:.1%}".replace("%", " %") for share in each.template_share),
            ", ".join(f"{count} {reason}" for reason, count in sorted(each.group.skipped.items())) or "–",
        ]
        for each in figures
    ]
    shares = [f"template, {measure}" for measure in MEASURES]
    return markdown_table(["", "pages", "oracle F1", *shares, "left out"], rows)
