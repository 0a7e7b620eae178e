"""``detemplate graph rank`` and ``detemplate graph related``: what the links of a crawl say."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import AsJson, CrawlPath
from detemplate.errors import counted
from detemplate.report.terminal import say, say_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.links.ranking import Ranking


def rank(
    crawl: CrawlPath,
    query: Annotated[str, Argument('Words that must all occur; "quoted" ones follow each other.', "QUERY")],
    configuration: Annotated[
        str,
        Option(
            "page-vanilla, page-fnm, pagelet-vanilla, pagelet-fnm, pagelet-ft or pagelet-ft-fnm.",
            "-c --configuration NAME",
            panel="Method",
        ),
    ] = "pagelet-ft-fnm",
    everything: Annotated[
        bool,
        Option("Compare all six configurations: the place of each page in each.", "--all", panel="Output"),
    ] = False,
    top: Annotated[int, Option("Show the N best authorities.", "N", panel="Output", min=1)] = 50,
    hubs: Annotated[
        int, Option("Show the N best hubs, too.", "N", panel="Output", default="none", min=0)
    ] = 0,
    root_size: Annotated[
        int, Option("Start from the N pages that match the query best.", "N", panel="Input", min=1)
    ] = 200,
    in_links: Annotated[
        int, Option("Add at most N pages that link to each of these.", "N", panel="Input", min=0)
    ] = 50,
    templates: Annotated[
        str,
        Option(
            "Links in templates do not count. local: in pagelets that recur among the pages ranked; "
            "stored: in table template_pagelets.",
            "WAY",
            panel="Method",
        ),
    ] = "local",
    uncrawled: Annotated[
        bool, Option("Rank pages, too, that were linked to but not crawled.", panel="Input")
    ] = False,
    same_host: Annotated[bool, Option("Let links within a host count, too.", panel="Method")] = False,
    text_weights: Annotated[
        bool, Option("Weight links by the query's words near them (Clever); else plain HITS.", panel="Method")
    ] = True,
    match_authorities: Annotated[
        bool, Option("With pagelet FNM: the pages linked to must match, too.", panel="Method")
    ] = False,
    seed: Annotated[int, Option("Seed of the choice of in-links.", "N", panel="Input", default="0")] = 0,
    as_json: AsJson = False,
) -> None:
    """Rank the pages of a crawl for a query by the links between them (HITS, Clever).

    By default, links in templates and in pagelets that do not match the query do not count.
    The crawl is what 'detemplate graph tables' makes.

    \b
    Examples:
      detemplate graph rank crawl/ "rock climbing" --top 10 --hubs 10
      detemplate graph rank crawl/ java --configuration page-fnm --json
      detemplate graph rank crawl/ '"San Francisco"' --all
    """
    from detemplate.links.baseset import base_set
    from detemplate.links.crawl import Crawl
    from detemplate.links.ranking import CONFIGURATIONS, Clever, check_way, configuration_of, template_share
    from detemplate.links.ranking import rank as ranked

    configuration_of(configuration)
    clever = Clever(text_weights=text_weights, same_host=same_host, match_authorities=match_authorities)
    with Crawl.open(crawl) as opened:
        check_way(templates, opened.has_templates)
        base = base_set(opened, query, root_size=root_size, in_links=in_links, uncrawled=uncrawled, seed=seed)
    rankings = {
        name: ranked(base, name, clever, templates=templates, top=top, hubs=hubs)
        for name in (CONFIGURATIONS if everything else [configuration])
    }
    share = template_share(base, templates)
    if as_json:
        summary = {
            "query": query,
            "base_set": {"pages": len(base), "root": len(base.root), "links": len(base.sources)},
            "template_share": share,
            "rankings": {name: asdict(ranking) for name, ranking in rankings.items()},
        }
        say_json(summary)
        return
    say(
        f"{counted(len(base), 'page')} ({len(base.root):,} found by their text), "
        f"{counted(len(base.sources), 'link')}; {share:.0%} of the pages hold template pagelets"
    )
    lines = _side_by_side(rankings) if everything else _one(rankings[configuration])
    for line in lines:
        say(line)


def related(
    url: Annotated[str, Argument("A page, crawled or linked to.", "URL")],
    crawl: CrawlPath,
    top: Annotated[int, Option("Show the N most related pages.", "N", panel="Output", min=1)] = 20,
    within: Annotated[
        str,
        Option(
            "Cited by one pagelet, or by one page: pagelet or page; weighted: by one page, and by one "
            "pagelet more heavily.",
            "WHAT",
            panel="Method",
        ),
    ] = "pagelet",
    weight: Annotated[
        int | None,
        Option(
            "What one pagelet counts with --within weighted; a page: 1.", "N", panel="Method", default="3"
        ),
    ] = None,
    templates: Annotated[
        str,
        Option(
            "Links that do not count. local: in pagelets that recur among the citing pages; stored: in "
            "table template_pagelets; none.",
            "WAY",
            panel="Method",
        ),
    ] = "local",
    as_json: AsJson = False,
) -> None:
    """Find the pages that are most often cited together with a page.

    Citations count where they stand in the same pagelet, and not in a template.

    \b
    Examples:
      detemplate graph related https://example.org/ crawl/
      detemplate graph related https://example.org/ crawl/ --within page --templates none
      detemplate graph related https://example.org/ crawl/ --within weighted --weight 5
    """
    from detemplate.links.cocitation import related as find
    from detemplate.links.crawl import Crawl

    with Crawl.open(crawl) as opened:
        found = find(opened, url, within=within, templates=templates, weight=weight, top=top)
    if as_json:
        pages = [asdict(one) for one in found]
        say_json({"url": url, "within": within, "templates": templates, "related": pages})
        return
    if not found:
        say("no page is cited together with it")
    for one in found:
        say(f"{one.count:>6,}  {_shown(one.url)}{_title(one.title)}")


def _one(ranking: Ranking) -> Iterator[str]:
    if not ranking.authorities:
        yield "no links are left to rank by"
    for place, page in enumerate(ranking.authorities, 1):
        yield f"{place:>4}  {page.score:>8.3g}  {_shown(page.url)}{_title(page.title)}"
    if ranking.hubs:
        yield "hubs:"
    for place, hub in enumerate(ranking.hubs, 1):
        pagelet = "" if hub.pagelet is None else f", pagelet {hub.pagelet}"
        yield f"{place:>4}  {hub.score:>8.3g}  {_shown(hub.url)}{pagelet}{_title(hub.title)}"
    if not ranking.converged:
        yield f"not converged after {ranking.rounds:,} rounds: the last places may be arbitrary"


def _side_by_side(found: dict[str, Ranking]) -> Iterator[str]:
    """Yield a line per page, with its place in each ranking, in the order of the last ranking."""
    places: dict[str, dict[str, int]] = {}
    for name, ranking in found.items():
        for place, page in enumerate(ranking.authorities, 1):
            places.setdefault(page.url, {})[name] = place
    last = 1 + max((len(ranking.authorities) for ranking in found.values()), default=0)
    yield "  ".join([*found, "page"])

    def order(url: str) -> tuple[list[int], str]:
        return [places[url].get(name, last) for name in reversed(found)], url

    for url in sorted(places, key=order):
        cells = [f"{places[url].get(name, '–'):>{len(name)}}" for name in found]
        yield "  ".join([*cells, _shown(url)])
    if any(ranking.hubs for ranking in found.values()):
        for name, ranking in found.items():
            yield f"hubs of {name}:"
            for hub in ranking.hubs:
                pagelet = "" if hub.pagelet is None else f", pagelet {hub.pagelet}"
                yield f"  {hub.score:>8.3g}  {_shown(hub.url)}{pagelet}"


def _shown(text: str) -> str:
    """Put a page's text on one line."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _title(title: str) -> str:
    shown = _shown(title)
    return f"  ({shown[:80]})" if shown else ""
