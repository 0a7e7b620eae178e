"""Cleaning a corpus by each method, and searching what is left with Tantivy: words, ranked by BM25."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.errors import MissingExtra, PageError
from detemplate.page.page import Page
from detemplate.page.urls import page_key
from lab.harness.extractors import FULL_TEXT
from lab.index.corpus import HOME, links_of
from lab.index.lines import RAW_LINES, without_raw_lines
from lab.labelled.measure import ExtractedTexts, Method, parsed
from lab.labelled.metrics import visible_text
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from lab.index.corpus import Corpus
    from lab.labelled.measure import Extractor

DEPTH: Final = 1_000
_HEAP: Final = 64 << 20


def require_tantivy() -> Any:  # noqa: ANN401  # a module without types
    """Import Tantivy; raises MissingExtra where it is not installed."""
    try:
        import tantivy
    except ImportError:
        raise MissingExtra("searching an index", "lab") from None
    return tantivy


class Document(NamedTuple):
    """What is indexed of a page: the words of its text, and those of links to it."""

    body: Sequence[str]
    anchors: Sequence[str] = ()


class Index:
    """A Tantivy index (BM25, k₁ = 1.2, b = 0.75) in a temporary folder: its bytes and word postings."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._tantivy = require_tantivy()
        builder = self._tantivy.SchemaBuilder()
        builder.add_unsigned_field("number", stored=True)
        for name in Document._fields:
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
        self._schema = builder.build()
        self._folder = TemporaryDirectory(prefix="detemplate-index-")
        self._index = self._tantivy.Index(self._schema, self._folder.name)
        writer = self._index.writer(_HEAP, 1)  # one thread: equal documents give an equal index
        for number, document in enumerate(documents):
            writer.add_document(
                self._tantivy.Document(
                    number=number, body=" ".join(document.body), anchors=" ".join(document.anchors)
                )
            )
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()
        self.nbytes = sum(path.stat().st_size for path in Path(self._folder.name).iterdir())
        self.postings = sum(len(set(document.body)) for document in documents)
        self.occurrences = sum(len(document.body) for document in documents)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def search(self, words: Sequence[str], fields: Sequence[str] = ("body",)) -> list[int]:
        """Return the numbers of the best documents with any of the words in any field; ties by number."""
        tantivy = self._tantivy
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, field, word))
            for word in dict.fromkeys(words)
            for field in fields
        ]
        found = self._searcher.search(tantivy.Query.boolean_query(terms), DEPTH).hits
        numbered = [(-score, self._searcher.doc(address)["number"][0]) for score, address in found]
        return [number for _, number in sorted(numbered)]


def ranks(found: Sequence[int], relevant: frozenset[int]) -> Iterator[int]:
    """Return the places of the relevant documents among those found, from 1."""
    return (place for place, number in enumerate(found, 1) if number in relevant)


def average_precision(found: Sequence[int], relevant: frozenset[int]) -> float:
    """Compute the mean over relevant documents of the precision at their places, 0 for one not found."""
    precisions = (hits / place for hits, place in enumerate(ranks(found, relevant), 1))
    return sum(precisions) / max(len(relevant), 1)


def reciprocal_rank(found: Sequence[int], relevant: frozenset[int]) -> float:
    """Compute one over the place of the first relevant document; 0 if none was found."""
    return 1 / next(ranks(found, relevant), float("inf"))


class CleanPage(NamedTuple):
    """What a method leaves of a page; methods that return text only have no bytes of markup and no links.

    `whole` has the bytes of markup before: those of the serialisation, or of the raw lines.
    """

    text: str
    nbytes: int | None = None
    whole: int | None = None
    links: list[tuple[int, str]] | None = None


class RawLines:
    """Sandwich as the paper has it: what is left is the lines that the page of the nearest name lacks."""

    label = RAW_LINES

    def clean(self, site: Sequence[tuple[str, str]]) -> list[CleanPage]:
        """Remove lines of all pages of a site; the texts and links of the others are those of a page."""
        found = []
        for (url, _), (left, whole) in zip(site, without_raw_lines(parsed(site)), strict=True):
            markup = left.decode("utf-8", "replace")
            found.append(
                _whole(url, markup)._replace(nbytes=len(left), whole=whole) if markup else CleanPage("")
            )
        return found

    def run(self, site: Sequence[tuple[str, str]], scored: Sequence[int] | None = None) -> ExtractedTexts:
        """Return the texts of the pages `scored` of a site."""
        cleaned = self.clean(site)
        return ExtractedTexts([cleaned[n].text for n in (range(len(site)) if scored is None else scored)])


class MethodOutcome(NamedTuple):
    """Sizes of what a method leaves of a corpus (None: texts only), and a value of each query."""

    corpus_bytes: int | None
    whole_bytes: int | None
    text_bytes: int
    postings: int
    occurrences: int
    index_bytes: int
    precision: list[float]
    reciprocal: list[float]


def clean_pages(name: str, extractor: Extractor, corpus: Corpus) -> list[CleanPage]:
    """Clean all pages of a corpus, site by site; a page that cannot be processed is empty."""
    cleaned = [CleanPage("")] * len(corpus.pages)
    for numbers in corpus.sites.values():
        site = [(corpus.pages[number].url, corpus.pages[number].html) for number in numbers]
        if isinstance(extractor, Method):
            found = _by_method(extractor, site)
        elif isinstance(extractor, RawLines):
            found = extractor.clean(site)
        elif name == FULL_TEXT:
            found = [_whole(*page) for page in site]
        else:
            found = [CleanPage(text) for text in extractor.run(site).texts]
        for number, page in zip(numbers, found, strict=True):
            cleaned[number] = page
    return cleaned


def _whole(url: str, html: str) -> CleanPage:
    page = Page(url, html)
    everything = np.ones(len(page.segments), np.bool_)
    nbytes = len(page.canonical)
    return CleanPage(visible_text(html), nbytes, nbytes, links_of(page, everything))


def _by_method(extractor: Method, site: Sequence[tuple[str, str]]) -> list[CleanPage]:
    pages = parsed(site)
    cleaned = []
    results = extractor.results(pages, range(len(pages)), keep_scripts=True)
    for page, result in zip(pages, results, strict=True):
        clean = CleanPage("")
        with suppress(PageError):
            if page is not None and result is not None:
                nbytes = len(result.html.encode("utf-8", "replace"))
                whole = len(page.canonical)
                clean = CleanPage(result.text, nbytes, whole, links_of(page, ~result.verdict.template))
        cleaned.append(clean)
    return cleaned


def measure_method(name: str, extractor: Extractor, corpus: Corpus) -> MethodOutcome:
    """Clean a corpus by one method, index what is left, and search it for all queries."""
    cleaned = clean_pages(name, extractor, corpus)
    hidden = corpus.hidden
    keys = {page_key(page.url): number for number, page in enumerate(corpus.pages)}
    anchors: dict[int, list[str]] = defaultdict(list)
    for source, page in enumerate(cleaned):
        for key, text in page.links or ():
            target = keys.get(key, source)
            if target != source:
                anchors[target].extend(text.split())
    bodies = [without(words(page.text), hidden.get(number, ())) for number, page in enumerate(cleaned)]
    with Index([Document(body) for body in bodies]) as index:
        found = [index.search(query.words) for query in corpus.queries]
        nbytes, postings, occurrences = index.nbytes, index.postings, index.occurrences
    if any(query.kind == HOME for query in corpus.queries):
        with Index([Document(body, anchors[number]) for number, body in enumerate(bodies)]) as index:
            for place, query in enumerate(corpus.queries):
                if query.kind == HOME:
                    found[place] = index.search(query.words, ("body", "anchors"))
    sizes = [page.nbytes for page in cleaned if page.nbytes is not None]
    wholes = [page.whole for page in cleaned if page.whole is not None]
    answered = list(zip(found, (query.relevant for query in corpus.queries), strict=True))
    return MethodOutcome(
        sum(sizes) if sizes else None,
        sum(wholes) if wholes else None,
        sum(len(page.text.encode("utf-8", "replace")) for page in cleaned),
        postings,
        occurrences,
        nbytes,
        [average_precision(*each) for each in answered],
        [reciprocal_rank(*each) for each in answered],
    )


def without(text: Sequence[str], run: Sequence[str]) -> list[str]:
    """Return words without every occurrence of a run of words."""
    if not run:
        return list(text)
    left: list[str] = []
    at = 0
    while at < len(text):
        if tuple(text[at : at + len(run)]) == tuple(run):
            at += len(run)
        else:
            left.append(text[at])
            at += 1
    return left


def signed_rank(first: Sequence[float], second: Sequence[float]) -> float:
    """Compute the two-sided p-value of Wilcoxon's signed-rank test (1945); 1 where no pair differs."""
    try:
        from scipy.stats import wilcoxon  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("the signed-rank test", "lab") from None
    differences = np.subtract(first, second)
    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0
