"""Template expressions mined from the site, applied to its own pages (Foschini 2007).

The thesis works on plain text. Here the matches are mapped back to the segments of a page, so that the method
can be compared with methods that know the DOM.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict, deque
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.intervals import characters, overlap
from detemplate.detectors.base import Asked, Detector, Options, option
from detemplate.detectors.causes import because
from detemplate.detectors.state import StateError, pages_in, parts
from detemplate.detectors.verdict import Verdict
from detemplate.errors import abridged
from detemplate.expressions.match import Matcher
from detemplate.expressions.mine import Miner, MiningOptions
from detemplate.expressions.remove import MERGE_GAP, MIN_SLIVER, Locality, to_remove
from detemplate.expressions.tokens import Tokenizer
from detemplate.page.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from detemplate.detectors.causes import Value
    from detemplate.expressions.match import Matches, Positions
    from detemplate.page.page import Page

_BYTES_A_TOKEN: Final = 16  # bytes that count as one token, on pages of long tokens
_SHOWN: Final = 120  # maximum length of an expression in a reason, in characters

_THRESHOLD: Final = 0.9
"""High, because a segment that is matched in part is mostly content that contains a template string."""


@dataclasses.dataclass(frozen=True, slots=True)
class ExpressionsOptions(Options):
    """Options of :class:`TemplateExpressions`."""

    on: str = option("text", "what is mined: text (the visible text) or html (the markup)")
    mutables: str = option(
        "none", "patterns of tokens that vary in a string: shipped (numbers, dates, …) or none"
    )
    min_documents: int = option(2, "strings on fewer pages are left out of the histogram")
    min_literals: int = option(0, "expressions with fewer literal tokens (that do not vary) are left out")
    cut: float = option(
        0.0, "strings on at least this share of the pages are template (0: taken from the histogram)"
    )
    merge_gap: int = option(MERGE_GAP, "pieces less than this many characters apart are removed as one")
    min_sliver: int = option(MIN_SLIVER, "pieces of fewer characters are kept")
    max_tokens: int = option(
        4_000_000, "most tokens to keep; beyond, the oldest pages are forgotten (16 bytes count as a token)"
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(self.on in ("text", "html"), "on", "'text' or 'html'")
        self.require(self.mutables in ("shipped", "none"), "mutables", "'shipped' or 'none'")
        self.require(self.min_documents >= 2, "min_documents", "at least 2")
        self.require(self.min_literals >= 0, "min_literals", "at least 0")
        self.require(0 <= self.cut <= 1, "cut", "between 0 and 1")
        self.require(self.merge_gap >= 0, "merge_gap", "at least 0")
        self.require(self.min_sliver >= 0, "min_sliver", "at least 0")
        self.require(1 <= self.max_tokens < 2**31, "max_tokens", "at least 1 and below 2**31")


class PageTokens(NamedTuple):
    """The tokens of a page."""

    words: list[bytes]
    """Its distinct tokens, in the order in which they first occur."""
    numbers: npt.NDArray[np.int32]
    """The number of each token's word."""

    @classmethod
    def of(cls, tokens: list[bytes]) -> PageTokens:
        """Make them of a list of tokens."""
        words: defaultdict[bytes, int] = defaultdict(count().__next__)
        numbers = np.fromiter(map(words.__getitem__, tokens), np.int32, len(tokens))
        return cls(list(words), numbers)


class TemplateExpressions(Detector):
    """Strings of tokens that recur on most of a site's pages, as regular expressions.

    Notes
    -----
    Learning keeps the tokens of a page (4 bytes each) and each distinct token once. Mining needs all pages
    at once. It runs at the first score after a page was learned; its result is kept until the next page is
    learned. A segment's score is the share of its characters that matches cover. The thesis's patterns of
    tokens that vary are off by default, because numbers and names that vary are often content.

    Beyond ``max_tokens`` the oldest pages are forgotten; from then on the result depends on the order of
    the pages. Merging equals one pass over both sequences of pages.
    """

    name: ClassVar[str] = "expressions"
    paper: ClassVar[str] = "Foschini: Parameter-Free Template Detection (thesis, 2007)"
    summary: ClassVar[str] = (
        "regular expressions mined from the token strings that most pages of a site share"
    )
    streams: ClassVar[bool] = False
    options_class: ClassVar[type[Options]] = ExpressionsOptions

    arrays: ClassVar[Mapping[str, str]] = {
        **{"letters": "|u1", "word_ends": "<i8"},  # the vocabulary
        **{"ids": "<i4", "ends": "<i8"},  # the tokens of the pages
    }

    _options: ExpressionsOptions

    def __init__(self, options: ExpressionsOptions | None = None) -> None:
        super().__init__(options)
        self._tokenizer = Tokenizer(mutables=None if self._options.mutables == "shipped" else ())
        self._locality = Locality(self._options.merge_gap, self._options.min_sliver)
        self._words: dict[bytes, int] = defaultdict(count().__next__)
        self._kept: deque[tuple[npt.NDArray[np.int32], int]] = deque()  # token ids and weight of each page
        self._weight = 0  # sum of the kept pages' weights
        self._bytes = 0  # size of the vocabulary
        self._stale = 0  # weight forgotten since the vocabulary was last rebuilt
        self._matcher: Matcher | None = None

    @property
    def nbytes(self) -> int:
        """Approximate memory of the tokens and of the mined expressions, in bytes."""
        tokens = sum(ids.nbytes + 150 for ids, _ in self._kept)
        mined = self._matcher.nbytes if self._matcher is not None else 0
        return tokens + self._bytes + 150 * len(self._words) + mined

    def ask(self, page: Page) -> Asked:
        """Ask with the page's tokens."""
        document = page.canonical if self._options.on == "html" else visible_text(page).text.encode()
        return Asked(PageTokens.of(self._tokenizer.split(document)))

    def take(self, query: PageTokens) -> None:
        """Keep the page's tokens."""
        self._add(query)
        self._pages += 1

    def _add(self, tokens: PageTokens) -> None:
        """Keep the tokens of one page; new tokens get the next ids."""
        known = len(self._words)
        ids = np.fromiter(map(self._words.__getitem__, tokens.words), np.int32, len(tokens.words))
        sizes = np.fromiter(map(len, tokens.words), np.int64, len(tokens.words))
        if len(self._words) > known:
            self._bytes += int(sizes.sum())  # an upper bound
        weight = _weight(len(tokens.numbers), int(sizes[tokens.numbers].sum()))
        self._kept.append((ids[tokens.numbers], weight))
        self._weight += weight
        self._matcher = None
        self._forget()

    def _forget(self) -> None:
        """Drop the oldest pages beyond the bound; from time to time, drop tokens that no kept page has."""
        while self._weight > self._options.max_tokens:
            _, weight = self._kept.popleft()
            self._weight -= weight
            self._stale += weight
        if self._stale > self._options.max_tokens // 2 + 1:
            words = list(self._words)
            live, numbers = np.unique(self._ids(), return_inverse=True)
            self._words = defaultdict(count().__next__)
            for number in live.tolist():
                self._words[words[number]]  # assigns the next id
            ends = np.cumsum([len(ids) for ids, _ in self._kept])
            pages = np.split(numbers.astype(np.int32), ends[:-1]) if self._kept else []
            self._kept = deque(zip(pages, [weight for _, weight in self._kept], strict=True))
            self._bytes = sum(map(len, self._words))
            self._stale = 0

    def _ids(self) -> npt.NDArray[np.int32]:
        """Return the token ids of all kept pages, one after another."""
        return np.concatenate([np.zeros(0, np.int32), *(ids for ids, _ in self._kept)])

    def _documents(self) -> list[list[bytes]]:
        """Return the tokens of each kept page."""
        words = list(self._words)
        return [[words[number] for number in ids.tolist()] for ids, _ in self._kept]

    def _mined(self) -> Matcher:
        """Mine the kept pages, if that was not done since the last page."""
        if self._matcher is None:
            options = self._options
            mining = MiningOptions(
                min_documents=options.min_documents,
                cut=options.cut or None,
                min_literals=options.min_literals,
            )
            miner = Miner(self._tokenizer, mining)
            for tokens in self._documents():
                miner.add(b" ".join(tokens))
            self._matcher = Matcher(miner.mine().expressions)
        return self._matcher

    def ask_only(self, page: Page) -> Asked:  # noqa: ARG002
        """Ask for nothing: the answer does not depend on the page's tokens."""
        return Asked(None)

    def answer(self, query: PageTokens | None) -> Matcher:  # noqa: ARG002
        """Return the site's expressions, the same for every page."""
        return self._mined()

    def judge(self, page: Page, asked: Asked, answer: Matcher) -> Verdict:  # noqa: ARG002
        """Score each segment by the share of its characters that the site's expressions match."""
        if self._options.on == "html":
            data = page.canonical
            text, rows = data.decode(), page.segments
            starts = characters(data, page.columns.start[rows].astype(np.int64))
            stops = characters(data, page.columns.stop[rows].astype(np.int64))
        else:
            visible = visible_text(page)
            text, starts, stops = visible.text, visible.starts, visible.stops
        matcher = answer
        matches = matcher.matches(text)
        removed = to_remove(matches, self._locality)
        share = overlap(*removed, starts, stops) / np.maximum(stops - starts, 1)
        scores = np.clip(share, 0, 1).astype(np.float32)
        return Verdict(scores, _THRESHOLD, _reasons(matcher, matches, scores, starts, stops))

    def join(self, first: Self, second: Self) -> None:
        """Join the kept pages of both, the second's after the first's."""
        # If the second has forgotten a page, all pages of the first are older and forgotten too.
        earlier = first._documents() if len(second._kept) == second._pages else []
        for tokens in [*earlier, *second._documents()]:
            self._add(PageTokens.of(tokens))
        self._pages = first._pages + second._pages

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the vocabulary, and the pages as token ids."""
        words = list(self._words)
        return {"pages": self._pages, "stale": self._stale}, {
            "letters": np.frombuffer(b"".join(words), np.uint8),
            "word_ends": np.cumsum([len(word) for word in words], dtype=np.int64),
            "ids": self._ids(),
            "ends": np.cumsum([len(ids) for ids, _ in self._kept], dtype=np.int64),
        }

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep the pages again."""
        self._pages, self._stale = pages_in(header, len(arrays["ends"])), int(header["stale"])
        ids = arrays["ids"]
        words = parts(arrays["letters"].tobytes(), np.diff(arrays["word_ends"], prepend=0))
        if self._stale < 0:
            raise StateError("the state's counts are out of range")
        if len(set(words)) != len(words) or b"" in words:
            raise StateError("the state's tokens are inconsistent")
        if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < len(words):
            raise StateError("the state's pages have unknown tokens")
        for word in words:
            self._words[word]  # assigns the next id
        sizes = np.array([len(word) for word in words], np.int64)
        for page in parts(ids, np.diff(arrays["ends"], prepend=0)):
            weight = _weight(len(page), int(sizes[page].sum()))
            self._kept.append((page, weight))
            self._weight += weight
        if self._weight > self._options.max_tokens:
            raise StateError("the state has more tokens than its options allow")
        self._bytes = int(sizes.sum())


def _weight(tokens: int, size: int) -> int:
    """Return a page's weight for the bound: its number of tokens, or more if they are long."""
    return max(tokens, -(-size // _BYTES_A_TOKEN), 1)


def touching(matches: Matches, starts: Positions, stops: Positions) -> tuple[list[int], list[int]]:
    """Give the longest match that touches each segment, and the number of those that do; linear in both."""
    count = len(starts)
    first, behind = stops.searchsorted(matches.starts, "right"), starts.searchsorted(matches.stops)
    counts = np.bincount(first, minlength=count + 1) - np.bincount(behind, minlength=count + 1)
    longest, after = [-1] * count, list(range(1, count + 2))  # the next segment that may have none yet
    order = (matches.starts - matches.stops).argsort(kind="stable")
    for match, at, end in zip(order.tolist(), first[order].tolist(), behind[order].tolist(), strict=True):
        while at < end:
            if longest[at] < 0:
                longest[at] = match
            following = after[at]
            after[at] = max(following, end)
            at = following  # noqa: PLW2901
    return longest, counts.cumsum().tolist()


def _reasons(
    matcher: Matcher,
    matches: Matches,
    scores: npt.NDArray[np.float32],
    starts: Positions,
    stops: Positions,
) -> Callable[[int], str]:
    """Return the function that explains the score of a segment."""
    found: list[tuple[list[int], list[int]]] = []

    def explain(segment: int) -> str:
        if not found:
            found.append(touching(matches, starts, stops))
        longest, counts = (each[segment] for each in found[0])
        if not counts:
            return because("no_expression", -1.0, "no expression of this site matches in it", share=0.0)
        expression = matcher.expressions[int(matches.which[longest])]
        shown = abridged(expression.pattern, _SHOWN)
        more = f" and {counts - 1} more" if counts > 1 else ""
        share = float(scores[segment])
        told = f"{share:.0%} of it matched by {shown}{more}, on {expression.documents} pages"
        side = 1.0 if share > _THRESHOLD else -1.0
        values: dict[str, Value] = {"share": round(share, 4), "expression": shown}
        return because("expression", side, told, **values, pages=int(expression.documents))

    return explain
