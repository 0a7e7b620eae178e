"""The report on page-level template detection: the paper's table 1 and its figures, for our sets."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.detectors.pagelevel import BASIC, MERGE, SMOOTH
from lab.harness.charts import COLOURS, grouped_bars, legend_above, panel_grid
from lab.harness.experiment import Report
from lab.harness.tables import cell, mark_best, section, table
from lab.labelled.tables import markdown_table
from lab.pagelevel.counts import MEASURES
from lab.pagelevel.figures import RAND, figures_row, over_groups, smooth_settings, threshold_settings
from lab.pagelevel.measure import DEFAULTS, EVERYTHING, FORMS, MIN_ALIGNED, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lab.harness.tables import Column
    from lab.pagelevel.figures import GroupFigures

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

_POOLED: Final = """\
*P*, *R*: precision and recall over all words (links) of a set. *Share of template*: of all words (links).
"""

_SEGMENTATION: Final = """\
δ of `basic+merge` is the best of those tried on the very same pages, as in the paper; so is the factor of
*best factor*. *Sections*: sections a page among its labelled texts.
"""

_FORMS: Final = """\
Means over the sets, each weighing the same, with the default c and with the factors that give the greatest F
of text and the greatest adjusted Rand index. *area*: A/A_i; *nodes*: N/N_i; *parent*: A_parent/A_i.
"""

_THRESHOLD: Final = """\
The detector calls template what scores above 0.5. Here the best of several thresholds for each set and
measure, chosen on the very same pages.
"""

_LABELS: Final = f"""\
The oracle keeps the segments that are labelled content, and is scored as an extractor. Left out: pages whose
gold has no content, that show less than {100 * MIN_ALIGNED:.0f} % of its words, or that are no pages.
"""
_QUICK: Final = "A quick run: few pages, few settings."
_COLOURS: Final = {BASIC: "#9b9b9b", MERGE: "#d9730d", SMOOTH: "#0b6e99"}
_SET_COLOURS: Final = (*COLOURS, "#444444")
_MOST_TICKS: Final = 7  # with more factors than this, every second one is labelled


class _Row(NamedTuple):
    """A set and a measure: a row of several tables."""

    each: GroupFigures
    place: int
    title: str  # name of the set with its number of pages
    measure: str


def report(
    figures: Sequence[GroupFigures], settings: Sequence[Setting], *, quick: bool = False, layout: str = ""
) -> Report:
    """Write the report on at least one group; `layout`: the kind of layouts of the classifiers."""
    pages = sum(len(each.group.pages) for each in figures)
    rendered = sum(each.group.rendered for each in figures)
    forms = {"area": "A/A_i", "nodes": "N/N_i", "parent": "A_parent/A_i"}
    intro = _INTRO.format(
        pages=pages, sites=len({site for each in figures for site in each.group.sites}),
        factor=DEFAULTS.factor, penalty=forms.get(DEFAULTS.penalty, DEFAULTS.penalty),
        rendered=rendered, estimated=pages - rendered,
    )  # fmt: skip
    rows = [
        _Row(each, place, _title(each), measure) for each in figures for place, measure in enumerate(MEASURES)
    ]
    sections = [
        section("Template detected: F (table 1)", _detection(rows)),
        section("All pages of a set together", _POOLED, _pooled(rows)),
        section(
            "Segmentation: adjusted Rand index (figure 1)", _SEGMENTATION, _segmentation(figures, settings)
        ),
        *(
            section(f"Penalty: F of {measure} (figure 2)", _penalty(figures, settings, place))
            for place, measure in enumerate(MEASURES)
        ),
        section("Penalty: adjusted Rand index (figure 3)", _penalty(figures, settings, RAND)),
        section("Forms of the penalty", _FORMS, _forms(figures, settings)),
        section("Threshold: F at the best", _THRESHOLD, _thresholds(rows, settings)),
        section("Threshold: F of text", _by_threshold(figures, settings)),
        section("Labels", _LABELS, _labels(figures)),
    ]
    sets = {
        each.name: {
            "pages": len(each.group.pages), "sites": len(set(each.group.sites)),
            "skipped": each.group.skipped, "rendered": each.group.rendered, "oracle_f1": each.oracle,
            "template_share": dict(zip(MEASURES, each.template_share, strict=True)),
            "labelled_sections": each.labelled_sections, "best_delta": each.variants[MERGE].delta,
        }
        for each in figures
    }  # fmt: skip
    charts = {
        "segmentation": segmentation_chart(figures),
        "penalty-detection": detection_chart(figures, settings),
        "penalty-segmentation": penalty_chart(figures, settings),
        "threshold": threshold_chart(figures, settings),
    }
    results = [figures_row(each, setting) for each in figures for setting in settings]
    record = {"quick": quick, "layout": layout, "sets": sets}
    return Report(intro, sections, results, charts, record, _QUICK if quick else "")


def _title(each: GroupFigures) -> str:
    return f"{each.name} ({len(each.group.pages)})"


def _detection(rows: Sequence[_Row]) -> str:
    cells = [
        [name, measure, "", f"{basic:.2f}", "", f"{smooth:.2f}", f"{smooth - basic:+.2f}"]
        for name, measures in PAPER.items()
        for measure, (basic, smooth) in zip(MEASURES, measures, strict=True)
    ]
    for row in rows:
        each, place = row.each, row.place
        cells.append([
            row.title, row.measure, cell(each.mean(EVERYTHING, place), ".3f"),
            cell(each.estimate(BASIC, place), ".3f"), cell(each.mean(MERGE, place), ".3f"),
            cell(each.estimate(SMOOTH, place), ".3f"),
            cell(each.gain(SMOOTH, BASIC, place), "+.3f"),
        ])  # fmt: skip
    return markdown_table(["", "of", EVERYTHING, BASIC, MERGE, SMOOTH, "smooth − basic"], cells)


def _pooled(rows: Sequence[_Row]) -> str:
    columns: list[Column] = [
        ("", "title"),
        ("of", "measure"),
        ("share of template", lambda row: row.each.template_share[row.place], ".3f"),
    ]
    for variant, (number, name) in product((BASIC, MERGE, SMOOTH), enumerate("PRF")):

        def value(row: _Row, variant: str = variant, number: int = number) -> float:
            return row.each.pooled(row.each.variants[variant], row.place)[number]

        columns.append((f"{variant} {name}", value, ".3f"))
    return table(columns, rows)


def _segmentation(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    rows = []
    for each in figures:
        basic, merge, smooth = (each.variants[variant] for variant in (BASIC, MERGE, SMOOTH))
        best = max(smooth_settings(settings), key=lambda setting: each.mean(setting, RAND))
        rows.append([
            _title(each),
            cell(each.estimate(BASIC, RAND), ".3f"),
            f"{cell(each.estimate(MERGE, RAND), '.3f')} (δ = {merge.delta:g})",
            cell(each.estimate(SMOOTH, RAND), ".3f"),
            cell(each.gain(SMOOTH, MERGE, RAND), "+.3f"),
            f"{cell(each.mean(best, RAND), '.3f')} (× {best.factor:g})",
            f"{each.labelled_sections:.1f}",
            *(f"{each.sections(setting):.1f}" for setting in (basic, merge, smooth, best)),
        ])  # fmt: skip
    header = ["", BASIC, MERGE, SMOOTH, "smooth − merge", "best factor", "sections a page: labels"]
    return markdown_table([*header, BASIC, MERGE, SMOOTH, "best factor"], rows)


def _penalty(figures: Sequence[GroupFigures], settings: Sequence[Setting], score: int) -> str:
    """Write a table of a score by factor of the penalty; the best factors are bold."""
    smoothed = smooth_settings(settings)
    by_set = [mark_best([each.mean(setting, score) for setting in smoothed], ".3f") for each in figures]
    rows = [[BASIC, *(cell(each.mean(BASIC, score), ".3f") for each in figures)]]
    for setting, *cells in zip(smoothed, *by_set, strict=True):
        rows.append([f"× {setting.factor:g}", *cells])
    return markdown_table(["factor", *map(_title, figures)], rows)


def _forms(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    def means(setting: Setting) -> list[str]:
        return [cell(value, ".3f") for value in over_groups(figures, setting)]

    rows = [[BASIC, *means(Setting(BASIC)), "", ""]]
    for form in (DEFAULTS.penalty, *FORMS):
        tried = {setting: over_groups(figures, setting) for setting in smooth_settings(settings, form)}
        best = [max(tried, key=lambda setting: tried[setting][score]) for score in (0, RAND)]
        cells = [
            f"{cell(tried[setting][score], '.3f')} (× {setting.factor:g})"
            for setting, score in zip(best, (0, RAND), strict=True)
        ]
        rows.append([form, *means(Setting(SMOOTH, form)), *cells])
    header = ["penalty", *(f"F of {measure}" for measure in MEASURES), "adjusted Rand"]
    return markdown_table([*header, "best F of text", "best adjusted Rand"], rows)


def _thresholds(rows: Sequence[_Row], settings: Sequence[Setting]) -> str:
    lines = []
    for row in rows:
        each, place = row.each, row.place
        cells, best = [row.title, row.measure], {}
        for variant in (BASIC, SMOOTH):
            of_variant = threshold_settings(settings, variant)
            best[variant] = max(of_variant, key=lambda setting: each.mean(setting, place))
            value = cell(each.mean(best[variant], place), ".3f")
            cells += [cell(each.mean(variant, place), ".3f"), f"{value} (> {best[variant].threshold:g})"]
        lines.append([*cells, cell(each.gain(best[SMOOTH], best[BASIC], place), "+.3f")])
    header = ["", "of", f"{BASIC} > 0.5", f"{BASIC}, best", f"{SMOOTH} > 0.5", f"{SMOOTH}, best"]
    return markdown_table([*header, "smooth − basic, both best"], lines)


def _by_threshold(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> str:
    rows = [
        [f"{variant} > {setting.threshold:g}", *(cell(each.mean(setting, 0), ".3f") for each in figures)]
        for variant in (BASIC, SMOOTH)
        for setting in threshold_settings(settings, variant)
    ]
    return markdown_table(["", *map(_title, figures)], rows)


def _labels(figures: Sequence[GroupFigures]) -> str:
    def left_out(each: GroupFigures) -> str:
        return ", ".join(f"{count} {reason}" for reason, count in sorted(each.group.skipped.items())) or "–"

    columns: list[Column] = [
        ("", "name"),
        ("pages", lambda each: len(each.group.pages)),
        ("oracle F1", "oracle", ".3f"),
        *(
            (f"template, {measure}", lambda each, place=place: each.template_share[place], ".1%")
            for place, measure in enumerate(MEASURES)
        ),
        ("left out", left_out),
    ]
    return table(columns, figures)


def segmentation_chart(figures: Sequence[GroupFigures]) -> Figure:
    """Draw the adjusted Rand index of the three variants, with 95 % intervals: the paper's figure 1."""
    figure, (axes,) = panel_grid(1, 1, (8.4, 3.8))
    series = [
        (variant, colour, [each.estimate(variant, RAND) for each in figures])
        for variant, colour in _COLOURS.items()
    ]
    grouped_bars(axes, series, 0.9)
    axes.set_xticks(range(len(figures)), [each.name for each in figures])
    axes.set_ylabel("adjusted Rand index (mean of pages)")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    legend_above(figure, axes)
    return figure


def detection_chart(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> Figure:
    """Draw F of the three measures against the penalty, one panel a set (figure 2); dotted: ``basic``."""
    smoothed = smooth_settings(settings)

    def draw(axes: Axes, each: GroupFigures) -> None:
        for place, (measure, colour) in enumerate(zip(MEASURES, COLOURS, strict=False)):
            axes.axhline(each.mean(BASIC, place), color=colour, ls=":", lw=1)
            _curve(axes, smoothed, [each.mean(setting, place) for setting in smoothed], colour, measure)

    return _set_panels(figures, draw, "factor multiplied into the penalty")


def threshold_chart(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> Figure:
    """Draw F of the three measures against the threshold, one panel a set; dotted: ``basic``."""

    def draw(axes: Axes, each: GroupFigures) -> None:
        for place, (measure, colour) in enumerate(zip(MEASURES, COLOURS, strict=False)):
            for variant, style in ((BASIC, ":"), (SMOOTH, "-")):
                of_variant = threshold_settings(settings, variant)
                thresholds = [setting.threshold for setting in of_variant]
                values = [each.mean(setting, place) for setting in of_variant]
                label = measure if variant == SMOOTH else None
                axes.plot(thresholds, values, color=colour, ls=style, lw=1.3, label=label)
        axes.grid(visible=True, alpha=0.3)
        axes.tick_params(labelsize=7)

    return _set_panels(figures, draw, "score above which a segment is template")


def _set_panels(
    figures: Sequence[GroupFigures], draw: Callable[[Axes, GroupFigures], None], x_label: str
) -> Figure:
    """Draw one panel a set, three in a row."""
    columns = min(3, len(figures))
    rows = -(-len(figures) // columns)
    size = (3.2 * columns + 0.6, 2.7 * rows + 0.4)
    figure, panels = panel_grid(len(figures), columns, size, sharex=True, sharey=True)
    for axes, each in zip(panels, figures, strict=True):
        draw(axes, each)
        axes.set_title(each.name, fontsize=9)
    figure.supxlabel(x_label, fontsize=9)
    figure.supylabel("F of template (mean of pages)", fontsize=9)
    legend_above(figure, panels[0])
    return figure


def penalty_chart(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> Figure:
    """Draw the adjusted Rand index against the penalty, one curve a set: the paper's figure 3."""
    figure, (axes,) = panel_grid(1, 1, (6.6, 4.2))
    smoothed = smooth_settings(settings)
    for place, each in enumerate(figures):
        colour = _SET_COLOURS[place % len(_SET_COLOURS)]
        _curve(axes, smoothed, [each.mean(setting, RAND) for setting in smoothed], colour, each.name)
    axes.set(xlabel="factor multiplied into the penalty", ylabel="adjusted Rand index (mean of pages)")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def _curve(axes: Axes, settings: Sequence[Setting], values: Sequence[float], colour: str, label: str) -> None:
    """Draw values against the factor of each setting, on a logarithmic axis."""
    factors = [setting.factor for setting in settings]
    axes.plot(factors, values, color=colour, label=label, lw=1.3, marker="o", ms=2.5)
    axes.set_xscale("log", base=2)
    ticks = factors[::2] if len(factors) > _MOST_TICKS else factors
    axes.set_xticks(ticks, [f"{value:g}" if value >= 1 else f"1/{1 / value:g}" for value in ticks])
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, alpha=0.3)
