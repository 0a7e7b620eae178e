"""Mining template expressions from a source: first each site, then the second level over all sites."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.expressions.files import write_json, write_txt
from detemplate.expressions.mine import Miner, MiningOptions
from detemplate.expressions.tokens import Tokenizer
from detemplate.files.atomic import AtomicFile, writing
from detemplate.io.record import Skip
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.mining.documents import document_reader
from detemplate.mining.minedsites import MinedSite, joined_sites
from detemplate.report.histogram import check_plot, plot_histograms
from detemplate.run.intake import Intake
from detemplate.run.limits import DEFAULT_MAX_PAGE_SECONDS
from detemplate.run.progress import Meter

if TYPE_CHECKING:
    from detemplate.io.sources.base import Source
    from detemplate.mining.minedsites import MiningRun
    from detemplate.run.progress import Progress

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

    Raises UserError: the tokens of all sites need more than ``job.memory``.
    Raises MissingExtra: pydivsufsort is not installed.
    """
    check_can_mine()
    began = time.perf_counter()
    skipped: Counter[str] = Counter()
    miners = _read_sites(source, job, skipped, progress)
    documents = sum(miner.documents for miner in miners.values())
    if progress is not None:
        progress.begin("mining", sum(miner.tokens for miner in miners.values()))
    mined_sites: list[MinedSite] = []
    done = 0
    for site in sorted(miners):
        mined = MinedSite.of(miners.pop(site))
        mined_sites.append(mined)
        done += mined.tokens
        if progress is not None:
            progress.advance(documents, len(mined_sites), done)
    if progress is not None:
        progress.end()
    return joined_sites(mined_sites, job.tokenizer, job.collections, skipped, began)


def check_can_mine() -> None:
    """Fail before anything is read, if nothing can be mined; raises MissingExtra."""
    if find_spec("pydivsufsort") is None:
        raise MissingExtra("mining template expressions", "expressions")


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
