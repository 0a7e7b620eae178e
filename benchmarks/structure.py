"""Measure how well the structure of content survives in Markdown: text, code, tables, formulas, links, lists.

Measured on made pages, whose structure is known, and on small pages with the Markdown that another tool's
tests expect (docs/structure.md). Peers' scores of each page are kept in
benchmarks/results/structure_peers.json, and only missing ones are measured.
"""

from __future__ import annotations

import json
import re
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

import turbohtml

import detemplate
from benchmarks.support import structure
from benchmarks.support.floors import floor, gate
from benchmarks.support.results import PeerResults, labelled_peers, peer_scores
from benchmarks.support.structure import SCORES, StructurePage, read_markdown, read_plain, scores_of
from benchmarks.support.structure_pages import made_pages
from detemplate.errors import UserError
from lab.harness.command import RESULTS, Parser, positive, progress, run, split_names, write
from lab.labelled.datasets import data_folder
from lab.labelled.measure import SetScores
from lab.labelled.pages import GOLD_FILE, PAGES_FILE, read_records
from lab.labelled.tables import markdown_table
from lab.peers.known import find_peers
from lab.peers.runner import Peer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.support.floors import Floors

    Measured = dict[str, dict[str, SetScores]]
    """Scores by set, then by the label of the extractor."""
    Extract = Callable[[str, str], str]
    """Makes Markdown or text of a URL and HTML."""

SETS: Final = {
    "made": "Made pages, whose structure is known: an article in a template.",
    "defuddle": "Small pages of defuddle's tests, with the Markdown that defuddle wants: what one tool "
    "specifies, not what people judged.",
}
"""Sets, and what each is: made by :mod:`benchmarks.support.structure_pages`, or ``structure/defuddle``."""
_STATED_URL: Final = re.compile(r'\s*<!--\s*\{[^}]*"url":\s*"([^"]+)"')
"""The URL that a page of defuddle's tests states in its first comment."""
_EXAMPLE: Final = """\
examples:
  python -m benchmarks.structure                          both sets, with peers' kept scores
  python -m benchmarks.structure --peers none --check     the gate
  python -m benchmarks.structure --sets made --pages 20   a look
"""
_INTRO: Final = """\
# Structure

How well structural elements survive in an extractor's Markdown: scores in [0, 1], mean over the pages that
have such elements (their number is in the first row). [docs/structure.md](../../docs/structure.md) says how
each is measured.
**Bold**: the best of a column. `python -m benchmarks.structure` makes these tables.
"""
_FAILURES: Final = "Pages on which an extractor raised an error or took too long; each counts as empty."


# Extractors. Each is asked for all structure that it can give; markdownify makes Markdown of HTML.


def _markdownified(html: str) -> str:
    return str(import_module("markdownify").markdownify(html, heading_style="ATX"))


def _ours(form: Literal["markdown", "text"]) -> Extract:
    return lambda url, html: detemplate.extract(html, url=url, format=form)


def _trafilatura() -> Extract:
    names = ("links", "tables", "formatting", "images")
    extract = partial(
        import_module("trafilatura").extract,
        output_format="markdown",
        **{f"include_{name}": True for name in names},
    )
    return lambda url, html: extract(html, url=url) or ""


def _resiliparse() -> Extract:
    extract: Any = import_module("resiliparse.extract.html2text").extract_plain_text
    import_module("markdownify")
    how = {"main_content": True, "preserve_formatting": "minimal_html", "links": True}
    return lambda _url, html: _markdownified(extract(html, **how))


def _readability() -> Extract:
    document: Any = import_module("readability").Document
    import_module("markdownify")
    return lambda url, html: _markdownified(document(html, url=url).summary(html_partial=True))


def _html2text() -> Extract:
    html2text = import_module("html2text")

    def markdown(url: str, html: str) -> str:
        converter = html2text.HTML2Text(baseurl=url, bodywidth=0)
        converter.mark_code = False
        return str(converter.handle(html))

    return markdown


def _turbohtml() -> Extract:
    def markdown(_url: str, html: str) -> str:
        content = turbohtml.parse(html).main_content()
        return "" if content is None else content.to_markdown()

    return markdown


PLAIN: Final = frozenset(("detemplate-text",))  # names of extractors whose output is plain text
OURS: Final = (
    Peer("detemplate", "detemplate", partial(_ours, "markdown")),
    Peer("detemplate-text", "detemplate", partial(_ours, "text")),
)
"""This package."""
PEERS: Final = (
    Peer("trafilatura", "trafilatura", _trafilatura),
    Peer("resiliparse", "resiliparse", _resiliparse),
    Peer("readability-lxml", "readability-lxml", _readability),
    Peer("turbohtml", "turbohtml", _turbohtml),
    Peer("html2text", "html2text", _html2text),
)
"""Others. html2text makes Markdown of whole pages; ``turbohtml`` is its ``main_content``."""


# Sets.


def load_set(name: str, pages: int | None = None) -> list[StructurePage]:
    """Make or read the first pages of a set, by default all; raise UserError for an unknown name."""
    if name not in SETS:
        raise UserError(f"unknown set {name!r}; known are {', '.join(SETS)}")
    return list(islice(made_pages() if name == "made" else _defuddle(), pages))


def _defuddle() -> Iterator[StructurePage]:
    folder = data_folder() / "structure" / "defuddle"
    expected = {record["id"]: record["markdown"] for record in read_records(folder / GOLD_FILE)}
    for record in read_records(folder / PAGES_FILE):
        markdown = expected[record["id"]]
        url = _url(record, markdown)
        truth = read_markdown(markdown, url, resolve=True)
        yield StructurePage(record["id"], url, record["html"], truth)


def _url(record: Mapping[str, str], markdown: str) -> str:
    """Find the URL that the expected Markdown was made with: the stated one, else one of the test's name."""
    if stated := _STATED_URL.match(record["html"]):
        return stated[1]
    name = record["id"].removeprefix("defuddle-")
    host = urlsplit(record["url"]).netloc.removesuffix(".example")
    return f"https://{name if f'https://{name}/' in markdown else host}/"


def measure_structure(peer: Peer, pages: Sequence[StructurePage]) -> SetScores:
    """Run an extractor on all pages and score its outputs; a page on which it fails counts as empty."""
    plain = peer.name in PLAIN
    outputs = peer.run([(page.url, page.html) for page in pages])
    scores = SetScores(crashed=outputs.crashed, timed_out=outputs.timed_out)
    for page, digest, text in zip(pages, page_digests(pages), outputs.texts, strict=True):
        found = read_plain(text) if plain else read_markdown(text, page.url)
        scores.add(scores_digest(), digest, scores_of(page.truth, found, plain=plain))
    return scores


def page_digests(pages: Sequence[StructurePage]) -> list[str]:
    """Digest each page and its truth."""
    return [sha256(repr((page.url, page.html, page.truth)).encode()).hexdigest()[:8] for page in pages]


@cache
def scores_digest() -> str:
    """Digest the module that defines the scores."""
    return sha256(Path(structure.__file__).read_bytes()).hexdigest()[:8]


def means(scores: SetScores) -> dict[str, tuple[float, int]]:
    """Compute the mean of each score over the pages that have it, and their number."""
    known = {name: [v for v in scores.columns.get(name, []) if v is not None] for name in SCORES}
    return {name: (sum(values) / len(values), len(values)) for name, values in known.items() if values}


# The command.


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sets = {name: load_set(name, options.pages) for name in split_names(options.sets)}
    results = PeerResults(options.peer_scores)
    peers = labelled_peers(find_peers(options.peers, PEERS), results, kept=options.kept_peers)
    measured: Measured = {}
    with progress(len(sets) * (len(OURS) + len(peers))) as show:
        for name, pages in sets.items():
            measured[name] = {}
            for label, peer in {**{peer.name: peer for peer in OURS}, **peers}.items():
                show(f"{label} · {name}")
                measure = partial(measure_structure, peer, pages)
                current = [scores_digest()] * len(pages), page_digests(pages)
                # Scores of a part of the pages would drop those of all.
                keep = options.pages is None
                scores = (
                    measure()
                    if peer in OURS
                    else peer_scores(results, (label, name), options, measure, *current, keep=keep)
                )
                if scores is not None:
                    measured[name][label] = scores
    _report(options, measured)
    return gate(options, _floors(measured), complete=list(measured) == list(SETS))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.structure", __doc__, _EXAMPLE)
    names = ",".join(SETS)
    parser.add_argument("--sets", default=names, help=f"names separated by commas (default {names})")
    parser.add_argument("--pages", type=positive, help="measure the first pages of each set only")
    parser.add_argument("--out", type=Path, help="Markdown file for the tables")
    parser.add_argument("--json", type=Path, help="JSON file for the figures")
    parser.add_peers("structure_peers.json")
    parser.add_floors("structure_floors.json")
    return parser.parse_args(arguments)


def _report(options: argparse.Namespace, measured: Measured) -> None:
    """Write tables and figures: into the committed files if all was measured and no others are named."""
    whole = options.pages is None and list(measured) == list(SETS) and options.peers == "all"
    out = options.out or (RESULTS / "structure.md" if whole else None)
    data = options.json or (RESULTS / "structure.json" if whole else None)
    figures = {name: {label: means(of) for label, of in found.items()} for name, found in measured.items()}
    failed: dict[str, int] = {}
    for by_label in measured.values():
        for label, scores in by_label.items():
            failed[label] = failed.get(label, 0) + scores.crashed + scores.timed_out
    sections = [_INTRO, *(f"## {name}\n\n{SETS[name]}\n\n{_table(of)}\n" for name, of in figures.items())]
    if lines := "\n".join(f"- {label}: {count}" for label, count in failed.items() if count):
        sections.append(f"## Failures\n\n{_FAILURES}\n\n{lines}\n")
    if out:
        write(out, "\n".join(sections))
    else:
        print("\n".join(sections))
    if data:
        rounded = {
            name: {
                label: {score: [round(mean, 5), pages] for score, (mean, pages) in of.items()}
                for label, of in found.items()
            }
            for name, found in figures.items()
        }
        write(data, json.dumps(rounded, indent=1, ensure_ascii=False) + "\n")


def _table(figures: Mapping[str, Mapping[str, tuple[float, int]]]) -> str:
    found = {score: [of[score] for of in figures.values() if score in of] for score in SCORES}
    best = {score: max((f"{mean:.3f}" for mean, _ in of), default="") for score, of in found.items()}
    rows = [["(pages)", *(str(max((pages for _, pages in found[score]), default=0)) for score in SCORES)]]
    for label, of in figures.items():
        cells = {score: f"{of[score][0]:.3f}" if score in of else "–" for score in SCORES}
        rows.append(
            [label, *(f"**{cell}**" if cell == best[score] else cell for score, cell in cells.items())]
        )
    return markdown_table(["", *SCORES], rows)


def _floors(measured: Measured) -> Floors:
    """Turn our scores into floors."""
    return {
        peer.name: {
            name: {
                "pages": len(by_label[peer.name].sites),
                **{score: floor(mean) for score, (mean, _) in means(by_label[peer.name]).items()},
            }
            for name, by_label in measured.items()
        }
        for peer in OURS
    }


if __name__ == "__main__":
    run(main)
