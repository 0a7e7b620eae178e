"""What all methods share: options, learning and scoring, and the learned state as bytes.

A detector learns the pages of one site and scores their segments.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from detemplate.algorithms.recurrence import merged, recurrence_table
from detemplate.detectors.state import DAMAGE, StateError, pack, pages_in, unpack
from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

    Frequencies = tuple[npt.NDArray[np.int32], int]
    """Document frequencies of a page's keys, and the number of pages."""

Value = TypeVar("Value")


def option(default: Value, help: str, *, file: bool = False) -> Value:  # noqa: A002
    """Make the field of an option: its default, and its help text.

    ``file``: whether it names a file whose content the method reads.
    """
    found: Any = dataclasses.field(default=default, metadata={"help": help, "file": file})
    return found  # type: ignore[no-any-return]


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """Base of a method's options: a frozen dataclass whose fields :func:`option` makes."""

    def __post_init__(self) -> None:
        self.check()

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name; no copies are made of them."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def check(self) -> None:
        """Raise :class:`~detemplate.errors.UserError` if a value is out of range."""

    def require(self, holds: bool, name: str, wanted: str) -> None:
        """Raise UserError unless an option's value ``holds``; ``wanted`` is its range in words."""
        if not holds:
            raise UserError(f"option {name}={getattr(self, name)!r} is out of range: it must be {wanted}")


def no_stream(method: str) -> UserError:
    """Return the error of a method that cannot clean a stream."""
    return UserError(
        f"method {method} learns all pages of a site before it cleans one: it cannot clean a stream "
        "(standard input, --stream, an iterator)"
    )


class Asked(NamedTuple):
    """What a page asks its site: the work on a page that needs nothing of what the site has learned.

    ``query``: all that the site's detector needs of the page, to learn it and to answer. It can be pickled.
    ``kept``: what judging needs again. It stays where it was computed.
    """

    query: Any
    kept: Any = None


class Learner(ABC):
    """Learns the pages of one site and scores how much of a template each segment of a page is."""

    @property
    @abstractmethod
    def pages(self) -> int:
        """Number of pages learned."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Approximate memory of the learned state, in bytes."""

    @abstractmethod
    def ask(self, page: Page) -> Asked:
        """Do the work on a page that depends on the options alone, and not on what was learned.

        Pages of one site are worked on in several processes: any of them asks and judges, one takes and
        answers in the pages' order. An answer must not change when more pages are learned.
        """

    def ask_only(self, page: Page) -> Asked:
        """Do the same for a page that is answered, but not learned."""
        return self.ask(page)

    @abstractmethod
    def take(self, query: Any) -> None:  # noqa: ANN401
        """Learn the page that asks; the time is linear in the page."""

    @abstractmethod
    def answer(self, query: Any) -> Any:  # noqa: ANN401
        """Return what the site has learned about what a page asks; the detector does not change."""

    def take_and_answer(self, query: Any) -> Any:  # noqa: ANN401
        """Learn the page that asks, then answer it: the page itself counts."""
        self.take(query)
        return self.answer(query)

    @abstractmethod
    def judge(self, page: Page, asked: Asked, answer: Any) -> Verdict:  # noqa: ANN401
        """Score a page by the answer; depends on the options and not on what was learned."""

    def learn(self, page: Page) -> None:
        """Learn a page of the site."""
        self.take(self.ask(page).query)

    def score(self, page: Page) -> Verdict:
        """Score the segments of a page by what the site has learned; the detector does not change."""
        asked = self.ask_only(page)
        return self.judge(page, asked, self.answer(asked.query))

    def learn_and_score(self, page: Page) -> Verdict:
        """Learn and score a page in one step, in the order of the method's paper."""
        asked = self.ask(page)
        return self.judge(page, asked, self.take_and_answer(asked.query))

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Return a detector that has learned this one's pages and then the other's.

        Neither detector changes.

        Raises ValueError: the options differ.
        Raises NotImplementedError: the method cannot merge (``merges`` is false).
        """

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Return the learned state and the options as bytes."""

    @classmethod
    @abstractmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore a detector from the bytes of :meth:`to_bytes`.

        Raises StateError: the bytes are damaged, or are the state of another method or version.
        """


class Detector(Learner):
    """Learns the pages of one site and scores how much of a template each segment of a page is.

    A method defines :meth:`ask`, :meth:`take`, :meth:`answer` and :meth:`judge`, of which learning and
    scoring are made, and :meth:`dump`, :meth:`load` and :meth:`join`, of which saving, restoring and merging
    are made.

    ``options``: the method's options; None for the defaults.
    ``name``: the method's name, on the command line and in saved states.
    ``paper``: the paper that describes the method.
    ``summary``: how the method works, in one line.
    ``streams``: whether one pass makes sense: each page is scored when it arrives.
    ``merges``: whether two detectors can be merged into one that has learned the pages of both.
    ``ordered``: whether the learned state depends on the order of the pages.
    ``needs``: what a score needs beside the page: ``"site"`` (other pages of the site) or ``"nothing"``.
    ``options_class``: the class of the method's options.
    ``version``: version of the layout of saved states.
    ``arrays``: arrays of a saved state: name → NumPy type.
    ``narrow``: whether they are saved as smaller types where these hold all numbers.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    summary: ClassVar[str]
    streams: ClassVar[bool] = True
    merges: ClassVar[bool] = True
    ordered: ClassVar[bool] = False
    needs: ClassVar[str] = "site"
    options_class: ClassVar[type[Options]]
    version: ClassVar[int] = 1
    arrays: ClassVar[Mapping[str, str]] = {}
    narrow: ClassVar[bool] = False

    def __init__(self, options: Any = None) -> None:  # noqa: ANN401  # each has options of its own
        self._options: Any = self.options_class() if options is None else options
        self._pages = 0

    @property
    def pages(self) -> int:
        """Number of pages learned."""
        return self._pages

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> Options:  # noqa: ARG003
        """Make options from the given values and the defaults for one pass (``streaming``) or two."""
        return cls.options_class(**given)

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the learned state without the options: values that JSON can hold, and :attr:`arrays`."""
        raise NotImplementedError

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take in what :meth:`dump` returned, into an empty detector.

        Nothing is trusted: raise StateError, or an exception of :data:`~detemplate.detectors.state.DAMAGE`,
        for what cannot have been learned.
        """
        raise NotImplementedError

    def join(self, first: Self, second: Self) -> None:
        """Take in the states of two detectors with the same options, into an empty detector."""
        raise NotImplementedError

    def merge(self, other: Self) -> Self:
        """Return a detector that has learned this one's pages and then the other's; see :class:`Learner`."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        joined.join(self, other)
        return joined

    def to_bytes(self) -> bytes:
        """Return the learned state and the options as bytes."""
        header, arrays = self.dump()
        header = {"options": self._options.as_dict(), **header}
        return pack(self.name, self.version, header, arrays, narrow=self.narrow)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore a detector from the bytes of :meth:`to_bytes`; raises StateError for other bytes."""
        header, arrays = unpack(data, cls.name, cls.version, cls.arrays)
        try:
            restored = cls(cls.options(header["options"], streaming=False))
            restored.load(header, arrays)
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


class TableOptions(Options):
    """Options that say when a table's entries expire, and how many it holds."""

    __slots__ = ()

    def lifetimes(self) -> npt.NDArray[np.int64]:
        """Lifetimes of entries with document frequency 1, 2, …, in pages since the last one; -1: for ever."""
        return np.array([-1])

    @property
    def most(self) -> int:
        """Maximum number of entries."""
        raise NotImplementedError


class TableDetector(Detector):
    """A detector whose whole state is one :class:`~detemplate.algorithms.recurrence.Table`."""

    arrays: ClassVar[Mapping[str, str]] = {"keys": "<u8", "df": "<i4", "last": "<i4"}

    _options: TableOptions

    def __init__(self, options: TableOptions | None = None) -> None:
        super().__init__(options)
        self._table: Table = recurrence_table(self._options.lifetimes(), self._options.most)

    @property
    def pages(self) -> int:
        """Number of pages learned; the table's clock."""
        return self._table.pages

    @property
    def nbytes(self) -> int:
        """Memory of the table, in bytes."""
        return self._table.nbytes

    def take(self, query: npt.NDArray[np.uint64]) -> None:
        """Count the keys of a page, each once."""
        self._table.observe(query)

    def answer(self, query: npt.NDArray[np.uint64]) -> Frequencies:
        """Return the document frequencies of the keys."""
        return self._table.counts(query), self.pages

    def take_and_answer(self, query: npt.NDArray[np.uint64]) -> Frequencies:
        """Count the keys and return their document frequencies, in one step; the page itself counts."""
        return self._table.observe(query), self.pages

    def join(self, first: Self, second: Self) -> None:
        """Merge the two tables, the second's pages after the first's."""
        self._table = merged(first._table, second._table, self._options.lifetimes(), self._options.most)

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the table: 16 bytes an entry."""
        return {"pages": self.pages}, dict(zip(self.arrays, self._table.dump(), strict=True))

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill the table."""
        self._table.load(pages_in(header), *(arrays[column] for column in self.arrays))
