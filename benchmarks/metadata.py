"""Compare metadata of pages with gold, beside trafilatura; check those of whole sites; measure their cost."""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import turbohtml

from detemplate import clean
from detemplate.errors import UserError
from detemplate.page.metadata.read import page_metadata
from detemplate.page.page import Page
from lab.harness.command import Parser, positive, progress, run, split_names, tell
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.pages import LabelledSet
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lab.labelled.pages import LabelledPage

    Reader = Callable[[LabelledPage], Mapping[str, str | None]]
    """Reads the metadata of a page."""

HALVES: Final = ("development", "held back")
"""The halves of each set: the first was looked at while the rules were written."""
_DEFUDDLE: Final = "structure/defuddle"  # pages that a tool has as its specification; no set of the catalogue
_FIELDS: Final = {
    "wcxb-dev": ("title",),
    _DEFUDDLE: ("title", "author", "published", "site_name"),
    "daniel-test": ("language",),
    "magic-forum": ("language",),
    "postlight-test": ("language",),
    "zh-web": ("language",),
}
"""Fields that the gold of each set has."""
_JOINING: Final = frozenset(("and", "by", "und", "et", "y", "von", "par"))
"""Words between the names of authors, and before them."""
_WORDS: Final = re.compile(r"\w+")
_LEAST_DISTINCT: Final = 0.95
_LABELS: Final = frozenset(
    {
        *(
            "author",
            "authors",
            "auteur",
            "autor",
            "autore",
            "autoren",
            "автор",
            "作者",
            "著者",
            "投稿者",
            "记者",
            "記者",
        ),
        *("by", "von", "par", "por", "da", "di", "de", "written", "posted", "edited", "published", "文"),
        *("post", "last", "first", "date", "admin", "user", "reply", "comment", "comments", "read", "more"),
    }
)
"""What stands beside the names of authors, or for them, and is none."""
_SIGNS: Final = re.compile(r"[#¶§🔗\uf0c1]$")
_SITES_INTRO: Final = """\
## Titles of whole sites

*Elements*: how many different texts the `title` elements of a site's pages have; *alone* and *site*: how many
different titles the pages have for each of them, without and with the help of the site's other pages (method
`{method}`, two passes). *Labels*: pages whose author is a label; *signs*: pages whose title ends in a sign.
Wanted are {least} titles for each element at least: {reached} of {sites} sites have them, {alone} alone.
"""
_INTRO: Final = """\
# Metadata

*Right*: share of the pages on which the value is that of the gold; *given*: share of the pages with a value.
Titles and names of sites are compared word by word, authors as sets of words, languages as ISO 639-1 codes;
capitals and punctuation do not count. While the rules were written, only the pages of the half *development*
were looked at, but for some 40 titles of wcxb-dev; the scores of both halves were seen, and some
rules were kept or dropped with a view to both. trafilatura gives no language without a model of its own.

On the first {pages} pages of wcxb-dev, turbohtml's parse takes {parse:.3f} ms a page, and \
reading the metadata of the parsed page {read:.3f} ms: {ratio:.2f} × the parse.

Made with `{command}`.
"""


@dataclass(slots=True)
class Scores:
    """Number of pages whose gold has a field, and by reader those with a value and those with the gold's."""

    pages: int = 0
    given: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    readers: dict[str, Reader] = {"detemplate": ours}
    if options.peers != "none":
        readers |= trafilatura()
    sets = _sets(split_names(options.sets))
    rows: list[list[str]] = []
    with progress(len(sets)) as show:
        for number, labelled in enumerate(sets):
            show(labelled.name, number)
            fields = _FIELDS[labelled.name]
            scores = scores_of(labelled, fields, readers)
            rows += [_row(labelled.name, name, scores, list(readers)) for name in fields]
    columns = ["pages", *(f"{reader} {what}" for reader in readers for what in ("right", "given"))]
    header = ["set, field", *(f"{half}: {what}" for half in HALVES for what in columns)]
    [labelled] = load_sets(["wcxb-dev"])
    parse, read = cost(islice(labelled.pages(), options.pages), options.rounds)
    intro = _INTRO.format(
        pages=options.pages, parse=parse, read=read, ratio=read / parse, command=options.command
    )
    sections = [intro, markdown_table(header, rows)]
    if not options.sets:
        sections += site_section(load_sets([SITES]), options.method)
    tell("\n".join(sections) + "\n", options.out)
    return 0


class SiteTitles(NamedTuple):
    """Of a site: pages, different title elements, different titles alone and with help, labels and signs."""

    pages: int
    elements: int
    alone: int
    helped: int
    labels: int
    signs: int

    @property
    def shares(self) -> tuple[float, float]:
        """Titles for each title element, alone and with help."""
        least = max(1, self.elements)
        return self.alone / least, self.helped / least


def titles_of(pages: Sequence[tuple[str, str]], method: str) -> SiteTitles:
    """Clean the pages of a site, and count their titles; pages without a title element do not count."""
    results = [*clean(pages, method=method, errors="skip")]
    titled = [result for result in results if result.title]
    told = [result.metadata for result in results]
    return SiteTitles(
        len(results),
        len({result.title for result in titled}),
        len({page_metadata(result.page).title for result in titled}),
        len({result.metadata.title for result in titled}),
        sum((each.author or "").casefold() in _LABELS for each in told),
        sum(bool(_SIGNS.search(each.title or "")) for each in told),
    )


def site_section(sites: Sequence[LabelledSet], method: str) -> list[str]:
    """Report the titles of sites, in the order of their shares."""
    found: dict[str, SiteTitles] = {}
    with progress(len(sites)) as show:
        for number, each in enumerate(sites):
            show(each.name, number)
            found[each.name] = titles_of([(page.url, page.html) for page in each.pages()], method)
    rows = [
        [
            name,
            *(str(value) for value in each[:2]),
            *(f"{share:.3f}" for share in each.shares),
            *map(str, each[4:]),
        ]
        for name, each in sorted(found.items(), key=lambda item: item[1].shares[::-1])
    ]
    alone, reached = (sum(each.shares[kind] >= _LEAST_DISTINCT for each in found.values()) for kind in (0, 1))
    told = {
        "method": method,
        "least": _LEAST_DISTINCT,
        "sites": len(found),
        "alone": alone,
        "reached": reached,
    }
    header = ["", "pages", "elements", "alone", "site", "labels", "signs"]
    return ["", _SITES_INTRO.format(**told), markdown_table(header, rows)]


def _row(name: str, field: str, scores: Mapping[tuple[str, str], Scores], readers: list[str]) -> list[str]:
    cells = [f"{name}, {field}"]
    for half in HALVES:
        found = scores.get((field, half))
        if found is None:
            cells += ["0", *["–"] * (2 * len(readers))]
            continue
        best = max(found.right[reader] for reader in readers)
        cells.append(str(found.pages))
        for reader in readers:
            right = f"{found.right[reader] / found.pages:.3f}"
            bold = found.right[reader] == best and len(readers) > 1
            cells += [f"**{right}**" if bold else right, f"{found.given[reader] / found.pages:.2f}"]
    return cells


def _sets(names: list[str]) -> list[LabelledSet]:
    """Find the sets by name; one stands beside the catalogue."""
    wanted = names or list(_FIELDS)
    unknown = [name for name in wanted if name not in _FIELDS]
    if unknown:
        raise UserError(f"{unknown[0]!r} has no metadata as gold; known are {', '.join(_FIELDS)}")
    folder = data_folder()
    listed = [name for name in wanted if name != _DEFUDDLE]
    beside = [LabelledSet(_DEFUDDLE, "text", folder / _DEFUDDLE)] if _DEFUDDLE in wanted else []
    return [*(load_sets(listed, folder) if listed else []), *beside]


def half_of(page: LabelledPage) -> str:
    """Return the half of its set that a page is in, by its identifier."""
    return HALVES[hashlib.md5(page.id.encode(), usedforsecurity=False).digest()[0] % 2]


def normalised(name: str, value: str) -> str:
    """Return a value as it is compared: words of titles and sites, set of authors' words, day, language."""
    text = unicodedata.normalize("NFKC", value).casefold()
    if name == "published":
        return text[:10]
    if name == "language":
        return re.split("[-_]", text)[0]
    words = _WORDS.findall(text)
    return " ".join(sorted(set(words) - _JOINING) if name == "author" else words)


def scores_of(
    labelled: LabelledSet, fields: Iterable[str], readers: Mapping[str, Reader]
) -> dict[tuple[str, str], Scores]:
    """Compare readers with the gold of a set; return scores by field and half."""
    found: dict[tuple[str, str], Scores] = defaultdict(Scores)
    for page in labelled.pages():
        gold = page.gold.metadata if page.gold else {}
        names = set(fields) & set(gold)
        if not names:
            continue
        told = {name: read(page) for name, read in readers.items()}
        for name in names:
            scores = found[name, half_of(page)]
            scores.pages += 1
            for reader, values in told.items():
                value = values.get(name) or ""
                scores.given[reader] += bool(value)
                scores.right[reader] += normalised(name, value) == normalised(name, gold[name])
    return dict(found)


def ours(page: LabelledPage) -> Mapping[str, str | None]:
    """Read a page's metadata by this package."""
    return page_metadata(Page(page.url, page.html)).as_dict()


def trafilatura() -> dict[str, Reader]:
    """Return trafilatura's reader by its name and version; raise UserError where it is not installed."""
    try:
        extract = import_module("trafilatura.metadata").extract_metadata
        version = import_module("trafilatura").__version__
    except ImportError as error:
        raise UserError(f"trafilatura cannot be imported: {error}; pip install -e '.[peers]'") from error
    names = {"title": "title", "author": "author", "published": "date", "site_name": "sitename"}

    def read(page: LabelledPage) -> Mapping[str, str | None]:
        try:
            told = extract(page.html, default_url=page.url)
        except Exception:  # noqa: BLE001  # a peer's failure on a page is its score there
            return {}
        return {name: getattr(told, theirs) for name, theirs in {**names, "language": "language"}.items()}

    return {f"trafilatura {version}": read}


def cost(pages: Iterable[LabelledPage], rounds: int) -> tuple[float, float]:
    """Measure the least milliseconds of processor time a page: of the parse, and of reading the metadata."""
    sources = [(page.url, page.html) for page in pages]
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        spent = [0.0, 0.0]
        for url, html in sources:
            start = time.process_time()
            turbohtml.parse(html, positions=False)
            spent[0] += time.process_time() - start
            page = Page(url, html)
            start = time.process_time()
            page_metadata(page)
            spent[1] += time.process_time() - start
        best = [min(pair) for pair in zip(best, spent, strict=True)]
    return 1000 * best[0] / len(sources), 1000 * best[1] / len(sources)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.metadata", __doc__)
    parser.add_argument("--sets", default="", metavar="NAMES", help=f"sets (default {','.join(_FIELDS)})")
    parser.add_argument("--peers", default="trafilatura", choices=["trafilatura", "none"], help="the peer")
    parser.add_argument(
        "--method", default="segments", metavar="NAME", help="method by which sites are cleaned"
    )
    parser.add_argument("--pages", type=positive, default=300, help="pages by which the cost is measured")
    parser.add_argument("--rounds", type=positive, default=5, help="rounds of that (default 5)")
    parser.add_out()
    return parser.read(arguments)


if __name__ == "__main__":
    run(main)
