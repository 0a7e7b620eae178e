"""The options of commands that train the model of method ``pagelevel``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from detemplate.commands.command import Option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.commands.shared import Reading
    from detemplate.training.sampling import Sampling

ModelFile = Annotated[str, Option("--output", "-o", metavar="FILE", help="The model: .json.")]
MinPagesOfSite = Annotated[int, Option(metavar="N", help="Leave out sites with fewer pages.")]
PagesPerSite = Annotated[int, Option(metavar="N", help="Take at most N pages of a site.")]
NodesPerPage = Annotated[int, Option(metavar="N", help="Take at most N nodes of a page.")]
Theta = Annotated[
    float,
    Option(metavar="X", help="Nodes on more than this share of a site's pages are template."),
]
Share = Annotated[
    float,
    Option(metavar="X", help="So are elements with more than this share of their HTML in such nodes."),
]
Equality = Annotated[
    str, Option(help="When nodes are equal: exact, text or normal, as for method sitelevel.")
]
Folds = Annotated[
    int,
    Option(metavar="N", help="Folds of the cross-validation; 0: no cross-validation."),
]
Families = Annotated[
    list[str] | None,
    Option(
        "--family",
        metavar="PATTERN",
        help="Pattern of sites that must not be split over folds, like 'docs-*'. Repeatable. Other sites "
        "are grouped by their registered domain.",
    ),
]
Seed = Annotated[int, Option(metavar="N", help="Seed of all random choices.")]


def sampling_of(
    *,
    min_pages: int,
    pages_per_site: int,
    nodes_per_page: int,
    theta: float,
    share: float,
    equality: str,
    seed: int,
    site_by: str,
    reading: Reading,
    max_page_seconds: float,
) -> Sampling:
    """Return which sites, pages and nodes are taken, by the options of a command."""
    from detemplate.training.labels import Labelling
    from detemplate.training.sampling import Sampling

    return Sampling(
        labelling=Labelling(theta, share, equality),
        min_pages=min_pages,
        pages_per_site=pages_per_site,
        nodes_per_page=nodes_per_page,
        site_by=site_by,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
        seed=seed,
    )


def training_command(
    inputs: list[str],
    sampling: Sampling,
    reading: Reading,
    *,
    layout: str | None,
    folds: int,
    families: list[str],
) -> str:
    """Write the command with all its options, so that it does not depend on the defaults; models have it."""
    import shlex

    options: Mapping[str, object] = {
        "--layout": layout, "--min-pages": sampling.min_pages, "--pages-per-site": sampling.pages_per_site,
        "--nodes-per-page": sampling.nodes_per_page, "--theta": sampling.labelling.theta,
        "--share": sampling.labelling.share, "--equality": sampling.labelling.equality,
        "--folds": folds, "--family": families, "--seed": sampling.seed, "--site-by": sampling.site_by,
        **reading.options(), "--max-page-seconds": sampling.max_page_seconds,
    }  # fmt: skip
    words = ["detemplate", "train", *inputs]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        for each in values:
            words += [name, str(each)]
    return shlex.join(words)
