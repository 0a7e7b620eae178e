"""Lines kept: precision, recall and F1 against labelled content; and how sandwich's peers can be chosen."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.lcs import common
from detemplate.detectors.sandwich import Peer, Peers, Sandwich, SandwichOptions
from detemplate.features.rawlines import lines_of_segments, raw_lines
from detemplate.page.address import directory
from lab.labelled.measure import Method, page_or_none
from lab.labelled.segmentlabels import CONTENT, TEMPLATE, label_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.index.corpus import Corpus
    from lab.labelled.measure import Extractor

    Bools = npt.NDArray[np.bool_]

MIN_ALIGNED: Final = 0.9  # minimum share of the gold's words that a page must show for its labels to count
NEAREST: Final = "nearest name in the directory"  # rule for a peer: the paper's, for a finished crawl
LAST: Final = "last crawled in the directory"  # rule for a peer: the paper's, for a running crawl
LAST_OF_SITE: Final = "last crawled of the site"
SAME_TEMPLATE: Final = "most alike in tags"
"""Rule for a peer: the page of the site whose set of tag paths resembles the page's most."""
RULES: Final = (NEAREST, LAST, LAST_OF_SITE, SAME_TEMPLATE)
INDEX_NAMES: Final = ("", "index")
"""Names, without ending, of a page that is alone in its directory by the design of its site."""
RAW_LINES: Final = "sandwich on raw lines"
"""The algorithm as the paper has it: on the lines of the markup as it came."""
_UNITS: Final = {
    "sandwich": Sandwich(SandwichOptions(unit="line")),
    RAW_LINES: Sandwich(SandwichOptions(unit="raw")),
}
"""Detectors that cut pages into lines, of the serialisation and of the markup as it came."""


class LineScores(NamedTuple):
    """How many lines are kept rightly: means over pages; `peers` is the share of pages that have a peer.

    F1 is the mean of the pages' F1, as in the paper, not that of the mean precision and recall.
    """

    pages: int
    peers: float | None
    precision: float
    recall: float
    f1: float


class _Pieces(NamedTuple):
    """Segments or characters of a page: their lines, which are content, and which have a label."""

    line: npt.NDArray[np.int64]
    content: Bools
    known: Bools


class _LabelledPage(NamedTuple):
    number: int
    segments: _Pieces
    characters: _Pieces  # on lines of the markup as it came


def any_gold(corpus: Corpus) -> bool:
    """Tell whether any page of a corpus has labelled content."""
    return any(page.gold is not None and page.gold.text.strip() for page in corpus.pages)


def line_scores(
    extractors: Mapping[str, Extractor], corpus: Corpus, show: Callable[[str], object]
) -> dict[str, LineScores]:
    """Score the lines of the serialisation that each method keeps; and sandwich, with peers by other rules.

    Sandwich is scored on raw lines, too, as in the paper: those of the markup as it came.
    """
    sites = [_labelled(corpus, numbers) for numbers in corpus.sites.values()]
    sites = [(every, labelled) for every, labelled in sites if labelled]
    found = {}
    for name, extractor in extractors.items():
        if isinstance(extractor, Method):
            scores = []
            for every, labelled in sites:
                results = extractor.results(every, [each.number for each in labelled])
                scores += [
                    _page_scores(each.segments, result.verdict.template)
                    for each, result in zip(labelled, results, strict=True)
                    if result is not None
                ]
            found[name] = _mean(scores, None)
            show(f"lines: {name}")
    for unit, sandwich in _UNITS.items():
        for rule in RULES:
            scores, with_peer = [], []
            for every, labelled in sites:
                chosen = peers_by_rule(rule, every, sandwich)
                for each in labelled:
                    page, peer = every[each.number], chosen[each.number]
                    with_peer.append(peer is not None)
                    asked = sandwich.ask(page)
                    if unit == RAW_LINES:
                        common_lines = lines_shared(asked.query, peer)
                        scores.append(_page_scores(each.characters, common_lines[each.characters.line]))
                    else:
                        template = sandwich.judge(page, asked, peer).template
                        scores.append(_page_scores(each.segments, template))
            found[f"{unit}, {rule}"] = _mean(scores, float(np.mean(with_peer)) if with_peer else 0.0)
            show(f"lines: {unit}, {rule}")
    return found


def lines_shared(page: Peer, peer: Peer | None) -> Bools:
    """Tell which lines of a page are in its longest common subsequence with its peer."""
    return np.zeros(len(page.units), np.bool_) if peer is None else common(page.units, peer.units)


def _labelled(corpus: Corpus, numbers: list[int]) -> tuple[list[Page], list[_LabelledPage]]:
    """Parse the pages of a site; label those that have gold."""
    every, labelled = [], []
    for number in numbers:
        record = corpus.pages[number]
        page = page_or_none(record.url, record.html, "site")
        if page is None:
            continue
        every.append(page)
        if record.gold is None or not record.gold.text.strip():
            continue
        labels = label_segments(page, record.gold)
        if labels.aligned >= MIN_ALIGNED:
            ends = np.cumsum([len(line) + 1 for line in page.lines])
            line = np.searchsorted(ends, page.columns.start[page.segments], "right")
            content, known = labels.label == CONTENT, np.isin(labels.label, (CONTENT, TEMPLATE))
            raw, starts = lines_of_segments(page)
            segment = np.repeat(np.arange(len(labels.label)), np.diff(starts))[raw >= 0]
            characters = _Pieces(raw[raw >= 0], content[segment], known[segment])
            labelled.append(_LabelledPage(len(every) - 1, _Pieces(line, content, known), characters))
    return every, labelled


def _page_scores(pieces: _Pieces, template: Bools) -> tuple[float, float, float]:
    """Compute precision, recall and F1 of the lines of a page, given which of its pieces are removed."""
    known = pieces.known
    line = pieces.line[known]
    if not len(line):
        return 1.0, 1.0, 1.0
    size = int(line.max()) + 1
    content = np.bincount(line, pieces.content[known], size) > 0
    kept = np.bincount(line, ~template[known], size) > 0
    both = int(np.count_nonzero(content & kept))
    precision = both / max(int(np.count_nonzero(kept)), 1)
    recall = both / max(int(np.count_nonzero(content)), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def _mean(scores: list[tuple[float, float, float]], peers: float | None) -> LineScores:
    means = np.array(scores, float).reshape(-1, 3).mean(axis=0) if scores else np.zeros(3)
    return LineScores(len(scores), peers, *(float(value) for value in means))


def peers_by_rule(
    rule: str, pages: Sequence[Page], sandwich: Sandwich = _UNITS["sandwich"]
) -> list[Peer | None]:
    """Choose the peer of each page of a site, in the order of the crawl, by one of :data:`RULES`."""
    asked: list[Peer] = [sandwich.ask(page).query for page in pages]
    if rule == NEAREST:
        known = Peers(nearest=True, max_units=1 << 40, max_directories=1 << 40)
        for page, peer in zip(pages, asked, strict=True):
            known.add(directory(page.url), peer)
        return [known.choose(page.url) for page in pages]
    if rule == SAME_TEMPLATE:
        return _most_alike(pages, asked)
    last: dict[str, Peer] = {}
    chosen = []
    for page, peer in zip(pages, asked, strict=True):
        key = directory(page.url) if rule == LAST else ""
        chosen.append(last.get(key))
        last[key] = peer
    return chosen


def _most_alike(pages: Sequence[Page], asked: Sequence[Peer]) -> list[Peer | None]:
    """Choose the page with the greatest Jaccard similarity of tag paths; of several, the first."""
    paths = [np.unique(page.columns.path) for page in pages]
    numbers = {int(path): n for n, path in enumerate(np.unique(np.concatenate(paths)).tolist())}
    table = np.zeros((len(pages), len(numbers)), np.float32)
    for number, of_page in enumerate(paths):
        table[number, [numbers[path] for path in of_page.tolist()]] = 1
    common = table @ table.T
    sizes = table.sum(axis=1)
    alike = common / (sizes[:, None] + sizes[None, :] - common)
    np.fill_diagonal(alike, -1)
    return [asked[int(row.argmax())] if len(pages) > 1 else None for row in alike]


def without_raw_lines(pages: Sequence[Page | None]) -> list[tuple[bytes, int]]:
    """Remove the raw lines that pages share with the peer of the nearest name, as the paper does.

    Returns: the markup that is left of each page, and the bytes that it had; none of one that is no page.
    """
    sandwich = _UNITS[RAW_LINES]
    known = [page for page in pages if page is not None]
    peers = dict(zip(map(id, known), peers_by_rule(NEAREST, known, sandwich), strict=True))
    left = []
    for page in pages:
        if page is None:
            left.append((b"", 0))
            continue
        lines = raw_lines(page)
        shared = lines_shared(sandwich.ask(page).query, peers[id(page)]).tolist()
        kept = [line for line, is_shared in zip(lines, shared, strict=True) if not is_shared]
        left.append((b"\n".join(kept), sum(map(len, lines)) + len(lines) - 1))
    return left


def peer_counts(urls: Iterable[str]) -> dict[str, int]:
    """Count a site's pages by whether their directory has another page; ``alone by design``: index pages."""
    directories: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        directories[directory(url)].append(url)
    counts = dict.fromkeys(("pages", "with peer", "alone by design", "alone"), 0)
    for of_directory in directories.values():
        counts["pages"] += len(of_directory)
        if len(set(of_directory)) > 1:
            counts["with peer"] += len(of_directory)
            continue
        name = of_directory[0].partition("?")[0].rpartition("/")[2].partition(".")[0]
        counts["alone by design" if name in INDEX_NAMES else "alone"] += len(of_directory)
    return counts
