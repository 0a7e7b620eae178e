"""Mining template expressions from a source: first each site, then the second level over all sites."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from detemplate.engines.documents import document_reader
from detemplate.engines.intake import Intake
from detemplate.engines.limits import DEFAULT_MAX_PAGE_SECONDS
from detemplate.engines.progress import Meter
from detemplate.errors import MissingExtra, UserError
from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.files import Collection, Expression, Expressions, write_json, write_txt
from detemplate.expressions.mine import Miner, MiningOptions, by_weight
from detemplate.expressions.tokens import Tokenizer
from detemplate.files.atomic import AtomicFile, writing
from detemplate.io.record import Skip
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.report.histogram import Histogram, check_plot, plot_histograms

if TYPE_CHECKING:
    from detemplate.engines.progress import Progress
    from detemplate.expressions.mine import Mined
    from detemplate.io.sources.base import Source

DEFAULT_MEMORY: Final = 4 << 30
"""Default of :attr:`MiningJob.memory`, in bytes."""


@dataclass(frozen=True, slots=True)
class MiningJob:
    """How a source is mined.

    Attributes
    ----------
    tokenizer, options
        As for :class:`~detemplate.expressions.mine.Miner`.
    on, site_by, max_page_bytes, max_page_seconds
        As for :class:`~detemplate.engines.apply.ApplyJob`.
    collections
        As for :func:`~detemplate.expressions.collections.idiom_limit`.
    memory
        Bytes that the sites' tokens may hold while they are read.
    """

    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    options: MiningOptions = field(default_factory=MiningOptions)
    on: str = "text"
    site_by: str = "host"
    collections: float | int | None = None
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS
    memory: int = DEFAULT_MEMORY


@dataclass(slots=True)
class MiningRun:
    """The result of a mining run.

    Attributes
    ----------
    expressions
        The expressions of all sites, with counts for each site.
    histograms
        One a site.
    idioms
        Expressions that the second level dropped, counted once a site.
    left_out
        Expressions left out because a site's would have more tokens than its documents.
    skipped
        Number of skips by reason.
    seconds
        Wall-clock time.
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
            cut = f"template from {each.cut:,} documents on" if each.cut is not None else "no cut-off"
            lines.append(
                f"{each.name or '(no host)'}: {each.documents:,} documents, {each.tokens:,} tokens, "
                f"{each.strings:,} strings, {cut}, {each.expressions:,} expressions"
            )
        if len(rows) > most:
            lines.append(f"… and {len(rows) - most:,} more sites")
        sites = f"{len(rows):,} {'site' if len(rows) == 1 else 'sites'}"
        idioms = f" ({self.idioms:,} idioms dropped)" if self.idioms else ""
        left_out = f" ({self.left_out:,} left out as too long together)" if self.left_out else ""
        lines.append(
            f"{len(self.expressions.expressions):,} expressions{idioms}{left_out} from "
            f"{self.expressions.documents:,} documents of {sites} in {self.seconds:.1f} s"
        )
        if self.skipped:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped.most_common())
            lines.append(f"skipped {sum(self.skipped.values()):,}: {reasons}")
        return lines


def mine_into(
    source: Source,
    job: MiningJob,
    output: str,
    *,
    plot: str | None = None,
    progress: Progress | None = None,
) -> MiningRun:
    """Mine every site of a source, and write the expressions.

    Parameters
    ----------
    source
        The input.
    job
        How.
    output
        ``.json`` file (with counts) or ``.txt`` file (one expression a line).
    plot
        ``.svg`` or ``.png`` file for the sites' histograms and cut-offs.
    progress
        Shows how far the run has come.

    Raises
    ------
    UserError, MissingExtra
        As for :func:`mine`; a file's name has another ending, or a file cannot be written.
    """
    write = {".json": write_json, ".txt": write_txt}.get("." + output.lower().rpartition(".")[2])
    if write is None:
        raise UserError(f"cannot write {output}: its name must end in .json or .txt")
    if plot is not None:
        check_plot(plot)
    with ExitStack() as stack:
        files = {name: AtomicFile(name) for name in (output, plot) if name is not None}
        for file in files.values():
            stack.callback(file.discard)
        mined = mine(source, job, progress)
        with writing(output):
            write(mined.expressions, files[output].file)
        files[output].commit()
        if plot is not None:
            with writing(plot):
                plot_histograms(mined.histograms, files[plot].file, plot)
            files[plot].commit()
    return mined


def mine(source: Source, job: MiningJob, progress: Progress | None = None) -> MiningRun:
    """Mine every site of a source.

    Memory while the source is read: 4 bytes a token, and about 200 bytes a distinct token, of all sites
    (a source may interleave them). Then, what mining the largest site takes.

    Raises
    ------
    UserError
        The tokens of all sites need more than ``job.memory``.
    MissingExtra
        pydivsufsort is not installed.
    """
    if find_spec("pydivsufsort") is None:  # fail before anything is read
        raise MissingExtra("mining template expressions", "expressions")
    began = time.perf_counter()
    skipped: Counter[str] = Counter()
    miners = _read_sites(source, job, skipped, progress)
    documents = sum(miner.documents for miner in miners.values())
    if progress is not None:
        progress.begin("mining", sum(miner.tokens for miner in miners.values()))
    mined_sites: list[tuple[str, Mined]] = []
    done = 0
    for site in sorted(miners):
        mined = miners.pop(site).mine()
        mined_sites.append((site, mined))
        done += mined.tokens
        if progress is not None:
            progress.advance(documents, len(mined_sites), done)
    if progress is not None:
        progress.end()
    counts = count_collections(mined.expressions for _, mined in mined_sites)
    limit = idiom_limit(job.collections, len(mined_sites))
    kept: list[Expression] = []
    rows: list[Collection] = []
    for site, mined in mined_sites:
        own = without_idioms(mined.expressions, counts, limit)
        kept += own
        rows.append(
            Collection(
                site, mined.documents, mined.tokens, len(mined.strings), mined.least_documents, len(own)
            )
        )
    tokenizer = job.tokenizer
    return MiningRun(
        Expressions(
            tokenizer.token, tokenizer.separator, tokenizer.mutables,
            tuple(sorted(kept, key=by_weight)), tuple(rows),
        ),
        [
            Histogram(site, mined.documents, mined.histogram, mined.least_documents)
            for site, mined in mined_sites
        ],
        sum(len(mined.expressions) for _, mined in mined_sites) - len(kept),
        sum(mined.left_out for _, mined in mined_sites),
        skipped,
        time.perf_counter() - began,
    )  # fmt: skip


def _read_sites(
    source: Source, job: MiningJob, skipped: Counter[str], progress: Progress | None
) -> dict[str, Miner]:
    miners: dict[str, Miner] = {}
    held = pages = 0
    meter = Meter(progress, source)
    intake = Intake(
        source,
        document_reader(job.on, job.site_by),
        max_page_bytes=job.max_page_bytes,
        max_page_seconds=job.max_page_seconds,
        meter=meter,
    )
    meter.begin("reading")
    for item in intake:
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
