"""``detemplate spark mine`` and ``spark train``: learning from many sites on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from detemplate.commands.command import Without
from detemplate.commands.miningoptions import (
    Cut,
    MinDocuments,
    Mined,
    MinLiterals,
    MostSites,
    MutableFile,
    On,
    Plot,
    Separator,
    Token,
    mining_job,
)
from detemplate.commands.shared import (
    AS_USUAL,
    MaxSeconds,
    Quiet,
    Reading,
    SiteBy,
    show_summary,
)
from detemplate.commands.sparkoptions import Conf, Files, Master, SplitSize, Temp, reads_of, started
from detemplate.commands.trainingoptions import (
    Equality,
    Families,
    Folds,
    MinPagesOfSite,
    ModelFile,
    NodesPerPage,
    PagesPerSite,
    Seed,
    Share,
    Theta,
    sampling_of,
    training_command,
)
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from detemplate.engines.spark.reads import Reads


def mine(
    inputs: Files,
    output: Mined,
    on: On = "text",
    token: Token = r"\S+",
    separator: Separator = None,
    mutable: MutableFile = None,
    min_documents: MinDocuments = 2,
    min_literals: MinLiterals = 0,
    cut: Cut = None,
    collections: MostSites = None,
    plot: Plot = None,
    site_by: SiteBy = "host",
    reading: Annotated[Reading, Without("base_url", "limit", "sample")] = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    split_size: SplitSize = 0,
    temp: Temp = None,
    master: Master = None,
    conf: Conf = None,
    quiet: Quiet = False,
) -> None:
    """Mine template expressions of many sites on Spark; the file is that of 'detemplate mine'.

    Pages are parsed by file, and each site is mined by one task.

    \b
    Examples:
      detemplate spark mine crawl/*.warc.gz -o expressions.json
      detemplate spark mine s3://bucket/crawl/ -o expressions.json --temp s3a://bucket/temp --master yarn
    """
    from detemplate.report.progress import step_progress

    job = mining_job(
        on=on,
        token=token,
        separator=separator,
        mutable=mutable,
        min_documents=min_documents,
        min_literals=min_literals,
        cut=cut,
        collections=collections,
        site_by=site_by,
        reading=reading,
        max_page_seconds=max_page_seconds,
        outputs=(output, plot),
    )
    reads, files = _inputs(inputs, reading, split_size, (output, plot))
    session = started(master, conf)
    from detemplate.engines.spark.mining import PHASES, spark_mine

    with step_progress(PHASES, lines=not quiet) as show:
        done = spark_mine(
            session, files, reads, job, output, plot=plot, split_size=split_size, temp=temp, tell=show
        )
    show_summary(done, quiet=quiet)


def train(
    inputs: Files,
    output: ModelFile,
    min_pages: MinPagesOfSite = 20,
    pages_per_site: PagesPerSite = 200,
    nodes_per_page: NodesPerPage = 100,
    theta: Theta = 0.1,
    share: Share = 0.85,
    equality: Equality = "exact",
    folds: Folds = 5,
    families: Families = None,
    seed: Seed = 0,
    site_by: SiteBy = "host",
    reading: Annotated[Reading, Without("base_url", "limit", "sample")] = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    split_size: SplitSize = 0,
    temp: Temp = None,
    master: Master = None,
    conf: Conf = None,
    quiet: Quiet = False,
) -> None:
    """Train the classifiers of method pagelevel on Spark; the model is that of 'detemplate train'.

    Each site is labelled and sampled by one task; the classifiers are fitted where the command runs. The
    model of method auto is not trained here: its labelled pages are few.

    \b
    Examples:
      detemplate spark train crawl/*.warc.gz -o model.json
      detemplate spark train s3://bucket/crawl/ -o model.json --temp s3a://bucket/temp --master yarn
    """
    from detemplate.report.progress import step_progress

    sampling = sampling_of(
        min_pages=min_pages,
        pages_per_site=pages_per_site,
        nodes_per_page=nodes_per_page,
        theta=theta,
        share=share,
        equality=equality,
        seed=seed,
        site_by=site_by,
        reading=reading,
        max_page_seconds=max_page_seconds,
    )
    reads, files = _inputs(inputs, reading, split_size, (output,))
    patterns = families or []
    session = started(master, conf)
    from detemplate.training.onspark import PHASES, spark_train

    lines: list[str] = []
    with step_progress(PHASES, lines=not quiet) as show:
        spark_train(
            session,
            files,
            reads,
            sampling,
            output,
            folds=folds,
            patterns=patterns,
            command=training_command(inputs, sampling, reading, layout=None, folds=folds, families=patterns),
            split_size=split_size,
            temp=temp,
            tell=show,
            report=lines.append,
        )
    if not quiet:
        for line in lines:
            say(line, err=True)


def _inputs(
    inputs: list[str], reading: Reading, split_size: int, outputs: tuple[str | None, ...]
) -> tuple[Reads, list[str]]:
    """Return how the inputs are read, and their files; none of them may be an output."""
    from detemplate.engines.spark.inputs import input_files
    from detemplate.engines.spark.pieces import check_split
    from detemplate.engines.spark.reads import Reads
    from detemplate.io.sources.inputnames import refuse_outputs

    reads = Reads(**reads_of(reading))
    check_split(split_size)
    files = input_files(inputs, reads.kind)
    refuse_outputs(files, outputs)
    return reads, files
