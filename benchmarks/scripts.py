"""Measure what methods lose on pages in a script without letters, capitals and spaces.

Each word of Latin letters becomes one to four ideographs, equal words equal ones. Spaces between ideographs
are removed and punctuation behind them becomes full-width, as in Chinese. The pages lose their meaning, but
keep their structure, their lengths and their gold. Method `segments` does not depend on scripts: where
another method loses more, it depended on the script.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.errors import UserError
from lab.harness.command import RESULTS, Parser, progress, run, split_names, write
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.datasets import load_sets
from lab.labelled.measure import Method, measure
from lab.labelled.pages import LabelledSet
from lab.labelled.tables import markdown_table
from lab.peers.known import find_peers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from lab.labelled.measure import Extractor
    from lab.labelled.pages import LabelledPage

_LETTERS: Final = 3.4
"""Letters for each ideograph: a thousand English words are some 1,700 characters of Chinese."""
_MOST: Final = 4  # most ideographs of a word
_FIRST: Final = 0x4E00  # code point of the first ideograph used
_COUNT: Final = 0x5000  # number of ideographs used
_WORD: Final = re.compile("[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")  # A word of Latin letters
_MARK: Final = re.compile("(?<=[\u4e00-\u9dff])([,.!?;:])(?=\\s|$)")
"""A punctuation mark between an ideograph and white space or the end."""
_FULL: Final = str.maketrans(",.!?;:", "，。！？；：")  # full-width punctuation marks
_SPACE: Final = re.compile("(?<=[\u4e00-\u9dff，。！？；：])[ \t\r\n]+(?=[\u4e00-\u9dff])")
"""White space between ideographs."""
_UNSHOWN: Final = frozenset({"script", "style", "template", "noscript", "textarea", "iframe"})
"""Elements whose text stays as it is."""
_SETS: Final = "cleanportaleval,dragnet-hosts,chaos"
_METHODS: Final = "auto,auto:evidence=page,segments"
_PEERS: Final = "readability-lxml,trafilatura"
_EXAMPLE = """\
examples:
  python -m benchmarks.scripts
  python -m benchmarks.scripts --sets chaos --methods auto,pagelevel --peers none
"""
_INTRO = """\
# Scripts

Word F1 on pages as they are, and on the same pages with ideographs for words of Latin letters: one for
3.4 letters, no spaces between them, full-width marks behind them; the gold alike. An ideograph
counts as a word, so the figures of a method that knows nothing of scripts (`segments`) change too. 95 %:
bootstrap interval of the difference, resampling sites. Made with `{command}`.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sets = load_sets(split_names(options.sets))
    wrong = [labelled.name for labelled in sets if labelled.kind != "text"]
    if wrong:
        raise UserError(f"{wrong[0]} has no text as gold; name sets such as {_SETS}")
    extractors: list[Extractor] = [*map(_method, split_names(options.methods)), *find_peers(options.peers)]
    rows: list[list[str]] = []
    with progress(len(sets) * len(extractors)) as show:
        for labelled in sets:
            for extractor in extractors:
                show(f"{extractor.label} · {labelled.name}", len(rows))
                rows.append(_row(extractor, labelled))
    header = ["set", "method", "as it is", "in ideographs", "difference", "95 %"]
    write(options.out, f"{_INTRO.format(command=options.command)}\n{markdown_table(header, rows)}")
    return 0


def _row(extractor: Extractor, labelled: LabelledSet) -> list[str]:
    plain, rewritten = (measure(extractor, each) for each in (labelled, IdeographSet.of(labelled)))
    before, after = (np.array(scores.columns["f1"], float) for scores in (plain, rewritten))
    change = bootstrap_mean((after - before).tolist(), plain.sites)
    means = f"{before.mean():.3f}", f"{after.mean():.3f}", f"{change.mean:+.3f}"
    return [labelled.name, extractor.label, *means, f"{change.low:+.3f} – {change.high:+.3f}"]


def _method(text: str) -> Method:
    """Parse a method and its options: ``name:option=value:…``."""
    name, *options = text.split(":")
    pairs = [option.partition("=") for option in options]
    return Method(name, tuple((option, value) for option, _, value in pairs))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.scripts", __doc__, _EXAMPLE)
    for name, default, about in (
        ("sets", _SETS, "text sets"),
        ("methods", _METHODS, "methods, options behind colons"),
        ("peers", _PEERS, "peers, or none"),
    ):
        told = f"{about} (default {default})"
        parser.add_argument(f"--{name}", default=default, metavar="NAMES", help=told)
    out = RESULTS / "scripts.md"
    parser.add_argument("--out", type=Path, default=out, metavar="FILE", help="table (default %(default)s)")
    return parser.read(arguments)


@cache
def _ideographs(word: str) -> str:
    state = blake2b(word.lower().encode(), digest_size=2 * _MOST).digest()
    count = min(max(round(len(word) / _LETTERS), 1), _MOST)
    return "".join(
        chr(_FIRST + int.from_bytes(state[2 * place : 2 * place + 2], "little") % _COUNT)
        for place in range(count)
    )


def in_ideographs(text: str) -> str:
    """Rewrite a text with ideographs."""
    written = _WORD.sub(lambda word: _ideographs(word[0]), text)
    return _SPACE.sub("", _MARK.sub(lambda mark: mark[1].translate(_FULL), written))


def html_in_ideographs(html: str) -> str:
    """Rewrite the texts of a page with ideographs; keep its elements, attributes and scripts."""
    document = turbohtml.parse(html, positions=False)
    for node in list(document.descendants):
        if isinstance(node, turbohtml.Text):
            parent = node.parent
            if not (isinstance(parent, turbohtml.Element) and parent.tag in _UNSHOWN):
                node.data = in_ideographs(node.data)
    return document.serialize()


def _rewritten(page: LabelledPage) -> LabelledPage:
    gold = page.gold
    if gold is not None:
        texts = {name: in_ideographs(getattr(gold, name)) for name in ("text", "outside", "comments")}
        lists = ("present", "absent", "values", "price", "sku")
        several = {name: tuple(map(in_ideographs, getattr(gold, name))) for name in lists}
        gold = replace(gold, **texts, **several)  # type: ignore[arg-type]
    return replace(page, html=html_in_ideographs(page.html), gold=gold)


@dataclass(frozen=True)
class IdeographSet(LabelledSet):
    """A labelled set whose pages and gold are rewritten with ideographs as they are read."""

    @classmethod
    def of(cls, labelled: LabelledSet) -> IdeographSet:
        """Make the rewritten set of a labelled set."""
        return cls(labelled.name, labelled.kind, labelled.folder, labelled.part, labelled.by)

    def pages(self) -> Iterator[LabelledPage]:
        """Read the pages, rewritten; see :meth:`LabelledSet.pages`."""
        yield from map(_rewritten, super().pages())


if __name__ == "__main__":
    run(main)
