"""The search engine Tantivy: an index of words, ranked by BM25."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

DEPTH: Final = 1_000
"""Pages that a search returns at most."""

_HEAP: Final = 64 << 20
"""Memory of the writer, in bytes."""


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
    """An index of documents, in a temporary folder. Words are indexed as they are given.

    Attributes
    ----------
    nbytes
        Size of the index on disk, in bytes. No text is stored in it.
    postings
        Pairs of a document and a word in its body.
    occurrences
        Words of all bodies.

    References
    ----------
    Robertson, S., Zaragoza, H.: The Probabilistic Relevance Framework: BM25 and Beyond. 2009. Tantivy's
    parameters are k₁ = 1.2 and b = 0.75.
    """

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def search(self, words: Sequence[str], fields: Sequence[str] = ("body",)) -> list[int]:
        """Return the numbers of the best documents with any of the words in any of the fields, best first.

        Equal scores are in order of the numbers.
        """
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
    """Compute average precision: mean over all relevant documents of the precision at their places.

    A relevant document that was not found counts as 0.
    """
    return sum(
        hits / place for hits, place in enumerate(ranks(found, relevant), 1)
    ) / max(len(relevant), 1)  # fmt: skip


def reciprocal_rank(found: Sequence[int], relevant: frozenset[int]) -> float:
    """Compute one over the place of the first relevant document; 0 if none was found."""
    return 1 / next(ranks(found, relevant), float("inf"))
