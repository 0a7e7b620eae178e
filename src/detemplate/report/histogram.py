"""Plots of the histogram of strings by document frequency, with the cut-off (Foschini 2007, figure 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes

SUFFIXES: Final = (".svg", ".png")
"""File name suffixes of plots."""

MAX_PANELS: Final = 24
"""Maximum number of sites in a plot."""

_COLUMNS: Final = 4  # maximum number of panels side by side
_KEPT: Final = "#0b6e99"  # colour of the strings below the cut-off
_TEMPLATE: Final = "#d9730d"  # colour of the strings from the cut-off on


@dataclass(frozen=True, slots=True)
class Histogram:
    """One site's strings by the documents that hold them.

    ``name``: the site.
    ``documents``: its number of documents.
    ``bins``: strings in each of 100 bins of documents. int64.
    ``least_documents``: least number of documents of a template string; None: no cut-off was found.
    """

    name: str
    documents: int
    bins: npt.NDArray[np.int64]
    least_documents: int | None


def check_plot(output: str) -> None:
    """Check that a plot can be drawn, before a long run.

    ``output``: name of the plot's file.
    Raises UserError: the file's name ends in neither ``.svg`` nor ``.png``.
    Raises MissingExtra: Matplotlib is not installed.
    """
    if not output.lower().endswith(SUFFIXES):
        raise UserError(f"cannot plot to {output}: its name must end in {' or '.join(SUFFIXES)}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra("plotting the histogram", "report") from None


def plot_histograms(histograms: Sequence[Histogram], file: BinaryIO, output: str) -> None:
    """Draw one panel per site: the number of strings by relative document frequency, and the cut-off.

    ``histograms``: one per site. Of more than :data:`MAX_PANELS`, those with the most documents are drawn.
    ``file``: the open file.
    ``output``: the file's name; its suffix tells the format.
    Raises UserError, MissingExtra: as :func:`check_plot`.
    """
    check_plot(output)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = sorted(histograms, key=lambda each: (-each.documents, each.name))[:MAX_PANELS]
    columns = max(1, min(_COLUMNS, len(shown)))
    rows = max(1, -(-len(shown) // columns))
    width, height = (6.6, 4.2) if len(shown) <= 1 else (3.4, 2.5)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = [*figure.subplots(rows, columns, squeeze=False).flat]
    for axis in axes[len(shown) :]:
        axis.set_visible(False)
    for axis, histogram in zip(axes, shown, strict=False):
        _draw(axis, histogram)
    figure.supxlabel("share of the documents that a string is in", fontsize=9)
    figure.supylabel("strings", fontsize=9)
    if len(histograms) > len(shown):
        figure.suptitle(f"the {len(shown)} sites with most documents of {len(histograms)}", fontsize=10)
    suffix = Path(output).suffix.lower().removeprefix(".")
    metadata = {"Date": None} if suffix == "svg" else {"Software": None}
    # Fixed ids and no dates: equal histograms give equal files.
    with mpl.rc_context({"svg.hashsalt": "detemplate", "svg.fonttype": "none"}):
        figure.savefig(file, format=suffix, dpi=90, metadata=metadata)


def _draw(axis: Axes, histogram: Histogram) -> None:
    bins = histogram.bins
    width = 1 / max(1, len(bins))
    least = histogram.least_documents
    edge = 1.0 if least is None else least / histogram.documents
    # A bin's right end is its share: strings in all documents are in the last bin.
    lefts = [number * width for number in range(len(bins))]
    colours = [_TEMPLATE if left + width >= edge - 1e-9 and least is not None else _KEPT for left in lefts]
    axis.bar(lefts, bins, width=width, align="edge", color=colours)
    if least is not None:
        axis.axvline(max(0.0, edge - width / 2), color="grey", ls="--", lw=1)
    axis.set_yscale("symlog", linthresh=1)  # logarithmic for power laws, with a zero for empty bins
    axis.set_xlim(0, 1)
    axis.set_ylim(bottom=0)
    axis.tick_params(labelsize=7)
    cut = "" if least is None else f", template from {least:,} on"
    axis.set_title(f"{histogram.name or '(no host)'}: {histogram.documents:,} documents{cut}", fontsize=8)
