"""Mining template expressions from a source: first each site, then the second level over all sites.

A plot shows each site's histogram of strings by document frequency, with the cut-off (Foschini 2007, figure
3.2).
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import MissingExtra, UserError, counted
from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.files import Collection, Expressions, write_json, write_txt
from detemplate.expressions.mine import Miner, MiningOptions, by_weight
from detemplate.expressions.tokens import Tokenizer
from detemplate.files.atomic import AtomicFile, writing
from detemplate.io.record import Skip, skipped_lines
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.mining.documents import document_reader
from detemplate.run.limits import DEFAULT_MAX_PAGE_SECONDS
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from detemplate.expressions.files import Expression
    from detemplate.io.sources.base import Source
    from detemplate.run.progress import Progress


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


@dataclass(slots=True)
class MiningRun:
    """The result of a mining run.

    ``expressions``: the expressions of all sites, with counts for each site.
    ``histograms``: one a site.
    ``idioms``: expressions that the second level dropped, counted once a site.
    ``left_out``: expressions left out because a site's would have more tokens than its documents.
    ``skipped``: number of skips by reason.
    ``seconds``: wall-clock time.
    """

    expressions: Expressions
    histograms: list[Histogram]
    idioms: int
    left_out: int
    skipped: Counter[str]
    seconds: float

    def lines(self, most: int = 20) -> list[str]:
        """Summarise the run for a person: a line for each of the ``most`` largest sites, then the totals."""
        collections = self.expressions.collections
        rows = sorted(collections, key=lambda each: (-each.documents, each.name))
        lines = []
        for each in rows[:most]:
            cut = (
                f"template from {counted(each.cut, 'document')} on" if each.cut is not None else "no cut-off"
            )
            lines.append(
                f"{each.name or '(no host)'}: {counted(each.documents, 'document')}, "
                f"{counted(each.tokens, 'token')}, {counted(each.strings, 'string')}, {cut}, "
                f"{counted(each.expressions, 'expression')}"
            )
        if len(rows) > most:
            lines.append(f"… and {counted(len(rows) - most, 'more site')}")
        idioms = f" ({counted(self.idioms, 'idiom')} dropped)" if self.idioms else ""
        left_out = f" ({self.left_out:,} left out as too long together)" if self.left_out else ""
        lines.append(
            f"{counted(len(self.expressions.expressions), 'expression')}{idioms}{left_out} from "
            f"{counted(self.expressions.documents, 'document')} of {counted(len(rows), 'site')} "
            f"in {self.seconds:.1f} s"
        )
        return lines + skipped_lines(self.skipped)


DEFAULT_MEMORY: Final = 4 << 30
"""Default of :attr:`MiningJob.memory`, in bytes."""


@dataclass(frozen=True, slots=True)
class MiningJob:
    """How a source is mined.

    ``tokenizer``, ``options``: as for :class:`~detemplate.expressions.mine.Miner`.
    ``on``, ``site_by``, ``max_page_bytes``, ``max_page_seconds``: as for
        :class:`~detemplate.mining.apply.ApplyJob`.
    ``collections``: as for :func:`~detemplate.expressions.collections.idiom_limit`.
    ``memory``: bytes that the sites' tokens may hold while they are read.
    """

    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    options: MiningOptions = field(default_factory=MiningOptions)
    on: str = "text"
    site_by: str = "host"
    collections: float | int | None = None
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS
    memory: int = DEFAULT_MEMORY


def mine_into(
    source: Source,
    job: MiningJob,
    output: str,
    *,
    plot: str | None = None,
    progress: Progress | None = None,
) -> MiningRun:
    """Mine every site of a source, and write the expressions; each file is written whole or not at all.

    ``output``: ``.json`` file (with counts) or ``.txt`` file (one expression a line).
    ``plot``: ``.svg`` or ``.png`` file for the sites' histograms and cut-offs.
    ``progress``: shows how far the run has come.
    Raises UserError, MissingExtra: as for :func:`mine`; a file's name has another ending, or a file cannot be
        written.
    """
    write = {".json": write_json, ".txt": write_txt}.get("." + output.lower().rpartition(".")[2])
    if write is None:
        raise UserError(f"cannot write {output}: its name must end in .json or .txt")
    if plot is not None:
        check_plot(plot)
    with ExitStack() as stack:
        file = stack.enter_context(AtomicFile(output))
        drawn = stack.enter_context(AtomicFile(plot)) if plot is not None else None
        mined = mine(source, job, progress)
        with writing(output):
            write(mined.expressions, file.file)
        if drawn is not None:
            with writing(drawn.output):
                plot_histograms(mined.histograms, drawn.file, drawn.output)
    return mined


def mine(source: Source, job: MiningJob, progress: Progress | None = None) -> MiningRun:
    """Mine every site of a source.

    Memory while the source is read: 4 bytes a token, and about 200 bytes a distinct token, of all sites
    (a source may interleave them). Then, what mining the largest site takes.

    Raises UserError: the tokens of all sites need more than ``job.memory``.
    Raises MissingExtra: pydivsufsort is not installed.
    """
    if find_spec("pydivsufsort") is None:  # nothing is read in vain
        raise MissingExtra("mining template expressions", "expressions")
    began = time.perf_counter()
    skipped: Counter[str] = Counter()
    miners = _read_sites(source, job, skipped, progress)
    documents = sum(miner.documents for miner in miners.values())
    if progress is not None:
        progress.begin("mining", sum(miner.tokens for miner in miners.values()))
    collections: list[Collection] = []
    histograms: list[Histogram] = []
    expressions: list[tuple[Expression, ...]] = []  # of each site
    left_out = done = 0
    for site in sorted(miners):
        mined = miners.pop(site).mine()
        strings, least = len(mined.strings), mined.least_documents
        collections.append(Collection(site, mined.documents, mined.tokens, strings, least, 0))
        histograms.append(Histogram(site, mined.documents, mined.histogram, least))
        expressions.append(mined.expressions)
        left_out += mined.left_out
        done += mined.tokens
        if progress is not None:
            progress.advance(documents, len(collections), done)
    if progress is not None:
        progress.end()
    counts, limit = count_collections(expressions), idiom_limit(job.collections, len(collections))
    kept = [without_idioms(own, counts, limit) for own in expressions]
    every = tuple(sorted(chain.from_iterable(kept), key=by_weight))
    rows = tuple(replace(row, expressions=len(own)) for row, own in zip(collections, kept, strict=True))
    tokenizer = job.tokenizer
    return MiningRun(
        Expressions(tokenizer.token, tokenizer.separator, tokenizer.mutables, every, rows),
        histograms,
        sum(map(len, expressions)) - len(every),
        left_out,
        skipped,
        time.perf_counter() - began,
    )


def _read_sites(
    source: Source, job: MiningJob, skipped: Counter[str], progress: Progress | None
) -> dict[str, Miner]:
    miners: dict[str, Miner] = {}
    held = pages = 0
    meter = Meter(progress, source)
    reader = Reader(
        source,
        document_reader(job.on, job.site_by),
        max_page_bytes=job.max_page_bytes,
        max_page_seconds=job.max_page_seconds,
        meter=meter,
    )
    meter.begin("reading")
    for item in reader:
        if isinstance(item, Skip):
            skipped[item.reason] += 1
            continue
        miner = miners.get(item.site)
        if miner is None:
            miner = miners[item.site] = Miner(job.tokenizer, job.options, name=item.site)
        held -= miner.nbytes
        miner.add(item.text)
        held += miner.nbytes
        pages += 1
        if held > job.memory:
            raise UserError(
                f"the tokens of {pages:,} documents of {len(miners):,} sites need more than "
                f"{job.memory >> 20:,} MB: mine fewer sites or a sample of the documents at a time"
            )
        meter.advance(pages, len(miners))
    return miners
