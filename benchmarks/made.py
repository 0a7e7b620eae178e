"""Count what method auto loses of pages made of real ones, of which it is known what is content.

- Long articles: the content of real pages replaced by 500 and by 1,200 paragraphs of other sites.
- Books: pages of 3,000 paragraphs and nothing else.
- Two blocks: 20 paragraphs in one element, 4 in the next one; what is lost of the 4.
- A sentence that stands between the paragraphs of all 24 pages of a site: it is template.

Frames are from sites for measuring, prose from sets for measuring. Each page is cleaned with other pages of
its site, and by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from benchmarks.support.floors import BY_PAGE, BY_SITE, figures_to_floors, gate
from benchmarks.support.madepages import book, framed, frames_by_site, in_turns, kept, with_sentence
from lab.auto.labelled import read_examples
from lab.auto.pool import Pool
from lab.harness.command import Parser, log, run, write_or_print
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.measure import Figures
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.support.madepages import MadePage
    from lab.auto.examples import Example
    from lab.labelled.measure import Method

PROSE: Final = ("cleaneval", "l3s-gn1", "chaos", "daniel-test")
"""Sets that the inserted paragraphs are from."""
PAGES: Final = 24  # made pages of each kind, at least; pages of a site with the same sentence
BOOKS: Final = 4
LONG: Final = (500, 1200)
BOOK: Final = 3000
BLOCKS: Final = (20, 4)
_OTHERS: Final = 11  # other pages of its site that a page is cleaned with
_PATTERNS: Final = ("debhandbook-*",)  # sites of one family
_SEED: Final = 0
_SENTENCE: Final = "repeated sentence"

_ABOUT: Final = """\
# Made pages

Pages of sites for measuring whose content is replaced by paragraphs of other sites, cleaned by method auto
with 11 other pages of their site, and by themselves. A paragraph is *wrong* where its words are not in a row
in the output. *Small block*: the 4 paragraphs behind a block of 20. *Books*: pages of 3,000 paragraphs alone.
*Repeated sentence*: it stands between the paragraphs of all 24 pages of a site, so it is template, and
*wrong* where it is kept.
"""


@dataclass(slots=True)
class Count:
    """Share of the paragraphs that are right, a page; their numbers."""

    shares: list[float] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    wrong: int = 0
    all: int = 0

    def add(self, site: str, right: Sequence[bool]) -> None:
        """Add a page."""
        self.shares.append(sum(right) / len(right))
        self.sites.append(site)
        self.wrong += len(right) - sum(right)
        self.all += len(right)


class Material(NamedTuple):
    """What pages are made of: frames by site, prose, and the source of random numbers."""

    frames: dict[str, list[Example]]
    pool: Pool
    generator: np.random.Generator


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.made", __doc__)
    parser.add_out()
    parser.add_floors("made_floors.json")
    options = parser.parse_args(arguments)
    folder = data_folder()
    tests = [each for each in load_sets([SITES], folder) if each.part == "test"]
    examples, _ = read_examples([str(each.folder) for each in tests], _PATTERNS, _SEED)
    frames = frames_by_site(examples)
    prose, _ = read_examples([str(folder / name) for name in PROSE], (), _SEED)
    log(f"{sum(map(len, frames.values())):,} frames of {len(frames)} sites, prose of {len(prose):,} pages")
    material = Material(frames, Pool(prose), np.random.default_rng(_SEED))
    counts: dict[str, Count] = {}
    for long in LONG:
        counts |= _framed(material, f"{long:,} paragraphs", (long,))
    counts |= _framed(material, "small block", BLOCKS)
    counts |= {"books": _books(material), _SENTENCE: _sentences(material)}
    write_or_print(_report(counts), options.out)
    summary = {name: _figures(name, count) for name, count in counts.items() if count.shares}
    return gate(options, figures_to_floors({BY_SITE.label: summary}), complete=True)


def _framed(material: Material, name: str, sizes: Sequence[int]) -> dict[str, Count]:
    """Make pages of so many paragraphs in one block or several; of several, count those of the last alone."""
    with_site, alone = Count(), Count()
    for frame in in_turns(material.frames):
        if len(alone.shares) == PAGES:
            break
        made = framed(frame, material.pool, sizes, material.generator)
        if made is not None:
            others = [each for each in material.frames[frame.page.site] if each is not frame][:_OTHERS]
            counted = made.paragraphs[-sizes[-1] :]
            with_site.add(frame.page.site, kept(_texts(BY_SITE, [made], others)[0], counted))
            alone.add(frame.page.site, kept(_texts(BY_PAGE, [made])[0], counted))
    return {name: with_site, f"{name}, page alone": alone}


def _books(material: Material) -> Count:
    count = Count()
    for frame in in_turns(material.frames):
        if len(count.shares) == BOOKS:
            break
        made = book(frame, material.pool, BOOK, material.generator)
        if made is not None:
            count.add(frame.page.site, kept(_texts(BY_PAGE, [made])[0], made.paragraphs))
    return count


def _sentences(material: Material) -> Count:
    count = Count()
    for site, frames in material.frames.items():
        made = (
            with_sentence(frames[:PAGES], material.pool, material.generator) if len(frames) >= PAGES else []
        )
        for page, text in zip(made, _texts(BY_SITE, made), strict=True):
            count.add(site, [not found for found in kept(text, page.paragraphs)])
    return count


def _texts(method: Method, made: Sequence[MadePage], others: Sequence[Example] = ()) -> list[str]:
    """Clean made pages of one site together, having seen some real ones, too."""
    site = [(page.url, page.html) for page in made]
    site += [(other.page.url, other.page.canonical.decode()) for other in others]
    return method.run(site, range(len(made))).texts


def _figures(name: str, count: Count) -> Figures:
    score = "removed" if name == _SENTENCE else "kept"
    means = {score: bootstrap_mean(count.shares, count.sites)}
    return Figures(len(count.shares), len(set(count.sites)), means)


def _report(counts: dict[str, Count]) -> str:
    rows = []
    for name, count in counts.items():
        damaged = sum(share < 1 for share in count.shares)
        numbers = len(count.shares), len(set(count.sites)), count.all, count.wrong, damaged
        rows.append([name, *(f"{number:,}" for number in numbers)])
    header = ["", "made pages", "sites", "paragraphs", "wrong", "pages with a wrong one"]
    return f"{_ABOUT}\n{markdown_table(header, rows)}\n"


if __name__ == "__main__":
    run(main)
