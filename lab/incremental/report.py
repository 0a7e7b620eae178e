"""The report on incremental detection against batches: the paper's table 1 for our sites."""

from __future__ import annotations

import math
from itertools import cycle
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lab.harness.charts import COLOURS, legend_above, panel_grid
from lab.harness.experiment import Report
from lab.harness.tables import cell, section, table
from lab.incremental.compare import INCREMENTAL, ORDERS, TOLERANCE, by_method
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lab.incremental.compare import Choice, DesignOutcome, SiteOutcome
    from lab.incremental.runs import Outcome, Setting

    _Value = Callable[["Summary", dict[str, Any]], str]  # a cell from a summary and a method's means

_INTRO: Final = """\
# Incremental detection against batches

Wang, Fang, Cheng, Guo, Xu: *Incremental Web Page Template Detection* (WWW 2008), section 3 and table 1, on
{sites} sites with {pages:,} pages ({scored:,} with gold). `{incremental}` sees each page once and keeps a
table of segments; the others cache pages until a batch is full. For each method and site: the setting that
stores least among those with the recall. *Recall*: share of the words outside a page's content that are
removed; *precision*: of the words removed, the share that was outside; means over a site's pages. *KB*:
1,000 bytes stored on average after each page's arrival. *Delay*: pages that arrive before a page is
processed.
"""
_DESIGNS: Final = """\
Two real sites stand for two designs of one site; the order of their pages is made. KB: mean over pairs of the
cheapest setting that has the recall: the wanted one, at most 95 % of the highest that both kinds reach.
"""
_WANTED: Final = (
    "In brackets, where no setting of a method has the recall: the highest it has, with what that stores."
    " Mean and savings over the sites where all methods have it; elsewhere no saving is given."
)
_MEANS: Final = (
    "recall", "precision", "block_recall", "block_precision", "storage", "inserting", "full", "delay",
)  # fmt: skip
_PAPER_SITES: Final = 5
# The paper's table 1: saving against each batch method, and average storage in KB.
_PAPER_SAVING: Final = {"shingles": "93.8 %", "styletree": "93.2 %"}
_PAPER_SIZE: Final = {INCREMENTAL: "224", "shingles": "3,617", "styletree": "3,302"}
_SHOWN_SITES: Final = 5  # number of sites whose storage over time is drawn: those with most pages
_COLUMNS: Final = 6  # panels in a row of the chart with one panel a site


def saving(ours: float, theirs: float) -> float:
    """Compute the share of the storage `theirs` that `ours` saves; negative where it is larger."""
    return 1 - ours / theirs if theirs else 0.0


class Summary(NamedTuple):
    """A comparison, averaged over the sites where all methods have the recall."""

    sites: int
    target: float  # mean of the sites' target recalls
    methods: dict[str, dict[str, Any]]
    """By method the means of `_MEANS`, NaN for what is not known; and ``batch``: pages a batch; ``saved``,
    ``saved_full``: share of its storage (of its full batches) that the incremental method saves, on average;
    ``saved_by_site``: mean of the sites' savings; ``cheaper_on``: sites where the incremental stores less."""
    text_storage: float  # mean storage of the incremental method in bytes, if its table held texts
    text_inserting: float  # the same when a page is inserted, before the table shrinks


def _mean(values: Iterable[float | None]) -> float:
    """Average the known values; NaN without any."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else math.nan


def _means(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {name: _mean(getattr(outcome, name) for outcome in outcomes) for name in _MEANS}


def _batch_size(outcome: Outcome) -> float | None:
    batch = outcome.setting.batch
    return None if batch is None else float(min(batch, len(outcome.series)))


def summarise(sites: Sequence[SiteOutcome], kind: str) -> Summary | None:
    """Average a comparison over the sites where all methods have the recall; None without such sites."""
    complete = [comparison for site in sites if (comparison := site.comparisons[kind]).complete]
    if not complete:
        return None
    incremental = [each.choices[INCREMENTAL] for each in complete]
    ours = [choice.outcome.storage for choice in incremental]
    methods = {}
    for method in complete[0].choices:
        outcomes = [each.choices[method].outcome for each in complete]
        savings = [saving(our, each.storage) for our, each in zip(ours, outcomes, strict=True)]
        means = _means(outcomes)
        methods[method] = means | {
            "batch": _mean(map(_batch_size, outcomes)),
            "saved": saving(_mean(ours), means["storage"]),
            "saved_full": saving(_mean(ours), means["full"]),
            "saved_by_site": bootstrap_mean(savings),
            "cheaper_on": sum(share > 0 for share in savings),
        }
    return Summary(
        len(complete),
        _mean(each.target for each in complete),
        methods,
        _mean(choice.text_storage for choice in incremental),
        _mean(choice.text_inserting for choice in incremental),
    )


def sweep_means(sites: Sequence[SiteOutcome]) -> list[tuple[Setting, dict[str, Any]]]:
    """Average each setting over all sites, in the order of the sweep; ``reaching``: sites with the recall."""
    means = []
    for outcomes in zip(*(site.sweep for site in sites), strict=True):
        pairs = zip(sites, outcomes, strict=True)
        reaching = sum(outcome.recall >= site.target - TOLERANCE for site, outcome in pairs)
        means.append((outcomes[0].setting, _means(outcomes) | {"reaching": reaching}))
    return means


def report(
    sites: Sequence[SiteOutcome],
    designs: Sequence[DesignOutcome],
    record: Mapping[str, object],
    note: str = "",
) -> Report:
    """Write the report on at least one site."""
    target = cell(sites[0].target, ".0%")
    summaries = {kind: summarise(sites, kind) for kind in ("wanted", "common")}
    counts = {name: sum(getattr(site, name) for site in sites) for name in ("pages", "scored", "skipped")}
    intro = _INTRO.format(
        sites=len(sites), pages=counts["pages"], scored=counts["scored"], incremental=INCREMENTAL
    )
    sections = [section("The paper and here", _expectations(sites, [*summaries.values()]))]
    if designs:
        sections.append(section("Lifetimes that grow, and constant ones", _DESIGNS, _designs(designs)))
    sections += [
        section(f"Storage at recall {target}", _WANTED, _storage(sites, "wanted", summaries["wanted"])),
        section(
            "Storage at the recall that all methods reach",
            f"The lowest of the methods' highest recalls on the site, at most {target}.",
            _storage(sites, "common", summaries["common"]),
        ),
        section("All settings", "Means over all sites.", _sweep(sites)),
    ]
    sweeps = {}
    for site in sites:
        columns = [{"method": outcome.setting.method, **_figures(outcome)} for outcome in site.sweep]
        sweeps[site.name] = {name: [row[name] for row in columns] for name in columns[0]}
    everything = {
        **record,
        "sites": len(sites),
        **counts,
        "summary": {kind: each for kind, each in summaries.items() if each is not None},
        "designs": [
            {"order": each.order, "sites": each.sites, "target_recall": each.target}
            | {kind: _figures(getattr(each, kind)) for kind in ("constant", "growing")}
            for each in designs
        ],
        "sweep": sweeps,
    }
    charts = {
        "storage-over-time": storage_over_time(sites),
        "recall-storage": recall_storage(sites),
        "recall-storage-by-site": recall_storage_by_site(sites),
    }
    return Report(intro, sections, _rows(sites), charts, everything, note)


def _rows(sites: Iterable[SiteOutcome]) -> list[dict[str, Any]]:
    """List the chosen settings: a row for each site, comparison and method; bytes, and pages of delay."""
    return [
        {
            "site": site.name, "part": site.part, "pages": site.pages, "comparison": kind,
            "target_recall": comparison.target, "method": method, "reached": choice.reached,
            **_figures(choice.outcome),
            "text_storage": choice.text_storage, "text_inserting": choice.text_inserting,
        }
        for site in sites
        for kind, comparison in site.comparisons.items()
        for method, choice in comparison.choices.items()
    ]  # fmt: skip


def _figures(outcome: Outcome) -> dict[str, Any]:
    return {"setting": outcome.setting.label, **{name: getattr(outcome, name) for name in _MEANS}}


def _kb(size: float) -> str:
    """Format bytes as kilobytes of 1,000 bytes."""
    kilobytes = size / 1000
    digits = 0 if kilobytes >= 100 else 1 if kilobytes >= 10 else 2
    return f"{kilobytes:,.{digits}f}"


def _percent(value: float | Estimate | None) -> str:
    return cell(value, ".1%")


def _share(mean: str) -> _Value:
    return lambda _, means: _percent(means[mean])


def _expectations(sites: Sequence[SiteOutcome], summaries: Sequence[Summary | None]) -> str:
    """Write the table of the paper's figures beside ours, at both recalls."""
    target = sites[0].target
    at_target = cell(target, ".0%")
    methods = list(sites[0].best_recalls)
    batched = [method for method in methods if method != INCREMENTAL]
    rows: list[list[str]] = []

    def add(title: str, paper: str, value: _Value, method: str = INCREMENTAL) -> None:
        rows.append([title, paper, *("–" if s is None else value(s, s.methods[method]) for s in summaries)])

    add("sites compared", str(_PAPER_SITES), lambda s, _: f"{s.sites} of {len(sites)}")
    add("recall asked for", "80 %", lambda s, _: _percent(s.target))
    for method in methods:
        reaching = sum(site.best_recalls[method] >= target - TOLERANCE for site in sites)
        rows.append([f"sites where `{method}` has {at_target}", "all", str(reaching), ""])
    for method in methods:
        add(f"KB, `{method}`", _PAPER_SIZE.get(method, "–"), lambda _, its: _kb(its["storage"]), method)
    add(f"KB, `{INCREMENTAL}` with texts for hashes", "224", lambda s, _: _kb(s.text_storage))
    inserted = f"KB, `{INCREMENTAL}`, when a page is inserted"
    add(inserted, "–", lambda _, its: _kb(its["inserting"]))
    add(f"{inserted}, with texts for hashes", "224", lambda s, _: _kb(s.text_inserting))
    for method in batched:
        paper = _PAPER_SAVING.get(method, "–")
        add(f"saved against `{method}`", paper, _share("saved"), method)
        add("– against full batches, as the paper counts", paper, _share("saved_full"), method)
        for title, size in (
            ("– with texts for hashes, full batches", attrgetter("text_storage")),
            ("– with texts, full batches, when a page is inserted", attrgetter("text_inserting")),
        ):
            add(title, paper, lambda s, its: _percent(saving(size(s), its["full"])), method)  # noqa: B023
        add("– mean of the sites' savings [95 %]", "–", _share("saved_by_site"), method)
        fewer = "– sites where it stores less"
        add(fewer, str(_PAPER_SITES), lambda s, its: f"{its['cheaper_on']} of {s.sites}", method)
    for title, paper, mean in (
        ("precision", "> 98 %", "precision"),
        ("template blocks found", "80 %", "block_recall"),
        ("removed blocks that are template", "> 98 %", "block_precision"),
    ):
        for method in methods:
            add(f"{title}, `{method}`", paper, _share(mean), method)
    for method in batched:
        add(f"pages a batch, `{method}`", "24", lambda _, its: f"{its['batch']:.1f}", method)
    for method in methods:
        paper = "0" if method == INCREMENTAL else "–"
        add(f"delay in pages, `{method}`", paper, lambda _, its: f"{its['delay']:.1f}", method)
    return markdown_table(["", "paper", f"at recall {at_target}", "at the recall that all reach"], rows)


def _stored(choice: Choice) -> str:
    size = _kb(choice.outcome.storage)
    return size if choice.reached else f"({size} at {cell(choice.outcome.recall, '.0%')})"


def _storage(sites: Sequence[SiteOutcome], kind: str, summary: Summary | None) -> str:
    """Write the paper's table 1, with further columns for precision and setting."""
    methods = list(sites[0].comparisons[kind].choices)
    batched = [method for method in methods if method != INCREMENTAL]
    common = ["recall"] if kind == "common" else []
    rows = []
    for site in sites:
        comparison = site.comparisons[kind]
        choices = comparison.choices
        ours = choices[INCREMENTAL]
        row = [site.name, str(site.pages), *(cell(comparison.target, ".0%") for _ in common)]
        row += [_stored(choices[method]) for method in methods]
        for method in batched:
            equal = comparison.target > 0 and ours.reached and choices[method].reached
            saved = saving(ours.outcome.storage, choices[method].outcome.storage)
            row.append(_percent(saved if equal else None))
        row += [_percent(choices[method].outcome.precision) for method in methods]
        rows.append([*row, *(choices[method].outcome.setting.label for method in methods)])
    if summary is not None:
        means = summary.methods
        row = [f"**mean of {summary.sites}**", "", *(cell(summary.target, ".0%") for _ in common)]
        row += [f"**{_kb(means[method]['storage'])}**" for method in methods]
        row += [f"**{_percent(means[method]['saved'])}**" for method in batched]
        row += [_percent(means[method]["precision"]) for method in methods]
        sizes = [means[method]["batch"] for method in methods]
        rows.append([*row, *("" if math.isnan(size) else f"{size:.1f} pages" for size in sizes)])
    header = ["site", "pages", *common, *(f"{method}, KB" for method in methods)]
    header += [f"saved against {method}" for method in batched]
    header += [f"precision, {method}" for method in methods]
    return markdown_table([*header, *(f"setting, {method}" for method in methods)], rows)


def _designs(designs: Sequence[DesignOutcome]) -> str:
    """Write the means over pairs, by order."""
    rows = []
    for order, told in ORDERS.items():
        chosen = [each for each in designs if each.order == order]
        if not chosen:
            continue
        kinds = {kind: [getattr(each, kind) for each in chosen] for kind in ("constant", "growing")}
        cells = []
        for outcomes in kinds.values():
            lifetime = sorted(each.setting.lifetime for each in outcomes)[len(outcomes) // 2]
            stored = sum(each.storage for each in outcomes) / len(outcomes) / 1000
            cells.append(f"{stored:.2f} ({lifetime:g})")
        less = sum(b.storage < a.storage for a, b in zip(*kinds.values(), strict=True))
        recall = sum(each.target for each in chosen) / len(chosen)
        rows.append([f"{order}: {told}", str(len(chosen)), f"{recall:.0%}", *cells, str(less)])
    header = ["order of pages", "pairs", "recall", "N = 1: KB (median T_b)", "N > 1: KB (median T_b)"]
    return markdown_table([*header, "N > 1 stores less"], rows)


def _sweep(sites: Sequence[SiteOutcome]) -> str:
    rows = [
        {"method": setting.method, "setting": setting.label, **its} for setting, its in sweep_means(sites)
    ]
    return table(
        [
            ("method", "method"),
            ("setting", "setting"),
            ("recall", "recall", ".1%"),
            ("precision", "precision", ".1%"),
            ("KB", lambda row: _kb(row["storage"])),
            ("delay", "delay", ".1f"),
            (f"sites with recall {cell(sites[0].target, '.0%')}", "reaching"),
        ],
        rows,
    )


def _method_colours(sites: Sequence[SiteOutcome]) -> dict[str, str]:
    return dict(zip(by_method(sites[0].sweep), cycle(COLOURS), strict=False))


def storage_over_time(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw the storage after each page (log): the mean while half of the sites have it; some sites."""
    colours = _method_colours(sites)
    complete = [site for site in sites if site.comparisons["common"].complete] or list(sites)
    shown = sorted(complete, key=lambda site: (-site.pages, site.name))[:_SHOWN_SITES]
    rows = -(-(len(shown) + 1) // 3)
    figure, axes = panel_grid(len(shown) + 1, 3, (4.2 * 3, 2.9 * rows))
    for axis, site in zip(axes[1:], shown, strict=True):
        comparison = site.comparisons["common"]
        for method, choice in comparison.choices.items():
            _line(axis, choice.outcome.series, colours[method], method)
        axis.set_title(f"{site.name}: recall {comparison.target:.0%}", fontsize=9)
    for method, colour in colours.items():
        series = [site.comparisons["common"].choices[method].outcome.series for site in complete]
        length = int(np.median([len(each) for each in series]))
        means = [np.mean([each[n] for each in series if len(each) > n]) for n in range(length)]
        _line(axes[0], np.array(means), colour, method)
    axes[0].set_title(f"mean of {len(complete)} sites", fontsize=9)
    for axis in axes:
        axis.set(yscale="log", xlabel="pages")
        axis.grid(visible=True, alpha=0.3)
    for axis in axes[::3]:
        axis.set_ylabel("stored, KB")
    legend_above(figure, axes[0])
    return figure


def _line(axis: Axes, series: npt.NDArray[Any], colour: str, label: str) -> None:
    """Draw bytes after each page as kilobytes."""
    axis.plot(np.arange(1, len(series) + 1), np.maximum(series, 1) / 1000, color=colour, label=label, lw=1.1)


def _curves(
    axis: Axes, points: Mapping[str, Sequence[tuple[float, float]]], colours: Mapping[str, str]
) -> None:
    """Draw recall against storage: the settings whose recall no cheaper setting reaches."""
    for method, of_method in points.items():
        front: list[tuple[float, float]] = []
        for point in sorted(of_method):
            if not front or point[1] > front[-1][1]:
                front.append(point)
        axis.plot(*zip(*front, strict=True), color=colours[method], label=method, lw=1.3, marker="o", ms=2.5)
    axis.set(xscale="log", ylim=(-0.02, 1.02))
    axis.grid(visible=True, alpha=0.3)


def recall_storage(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw recall against storage, both averaged over all sites: one point a setting."""
    colours = _method_colours(sites)
    points: dict[str, list[tuple[float, float]]] = {}
    for setting, means in sweep_means(sites):
        points.setdefault(setting.method, []).append((means["storage"] / 1000, means["recall"]))
    figure, (axis,) = panel_grid(1, 1, (6.6, 4.2))
    for method, colour in colours.items():
        sizes, recalls = zip(*points[method], strict=True)
        axis.scatter(sizes, recalls, s=5, lw=0, color=colour, alpha=0.35)
    _curves(axis, points, colours)
    axis.axhline(sites[0].target, color="grey", ls=":", lw=1)
    axis.set(xlabel="average storage, KB (mean of sites)", ylabel="recall of template (mean of sites)")
    axis.set_title(f"{len(sites)} sites; {INCREMENTAL} keeps a table, the others cache pages", fontsize=10)
    legend_above(figure, axis)
    return figure


def recall_storage_by_site(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw recall against storage, one panel a site."""
    colours = _method_colours(sites)
    columns = min(_COLUMNS, len(sites))
    size = (2.1 * columns, 1.7 * -(-len(sites) // columns))
    figure, axes = panel_grid(len(sites), columns, size, sharex=True, sharey=True)
    for axis, site in zip(axes, sites, strict=True):
        points = {
            method: [(each.storage / 1000, each.recall) for each in its]
            for method, its in by_method(site.sweep).items()
        }
        _curves(axis, points, colours)
        axis.axhline(site.target, color="grey", ls=":", lw=0.8)
        axis.set_title(f"{site.name} ({site.pages})", fontsize=7)
        axis.tick_params(labelsize=6)
        axis.minorticks_off()
    figure.supxlabel("average storage, KB", fontsize=8)
    figure.supylabel("recall of template", fontsize=8)
    legend_above(figure, axes[0])
    return figure
