"""The second pass: each page is parsed again, judged by what came back for it, and rendered."""

from __future__ import annotations

import dataclasses
from collections import deque
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.slotsums import COLUMNS
from detemplate.io.record import Record
from detemplate.run.intake import record_in
from detemplate.run.workers.flow import Flow
from detemplate.sites.store import FrozenSites
from detemplate.spark.asking import items_of
from detemplate.spark.questions import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt
    import pyarrow as pa  # type: ignore[import-untyped]

    from detemplate.detectors.base import Detector
    from detemplate.spark.forms import Form
    from detemplate.spark.job import SparkJob
    from detemplate.spark.pieces import Piece

PAGE, COUNT, SLOT = range(3)
"""Kinds of rows that come back for a page: the page itself, which is first, keys, and slots."""


@dataclass(slots=True)
class AnsweredRecord(Record):
    """A record with what came back for its page.

    Attributes
    ----------
    found
        What came back; None for a page that its site has not learnt.
    """

    found: Found | None = None


class Place(NamedTuple):
    """The place of a page in the input: the number of its file, and of its record in that."""

    file: int
    record: int


_END: Final[tuple[Place, None]] = (Place(-1, -1), None)
"""After the last page."""


class Outcome(NamedTuple):
    """A page that was worked on.

    Attributes
    ----------
    place, record
        The page.
    result
        What the work made of it, or its error.
    """

    place: Place
    record: Record
    result: Any


class Judging:
    """Judges pages of files.

    Parameters
    ----------
    job
        How to clean.
    pieces
        The pieces of the inputs, by their numbers.
    """

    def __init__(self, job: SparkJob, pieces: Sequence[Piece]) -> None:
        self.job = job
        self._pieces = pieces

    def outcomes(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Outcome]:
        """Clean the pages that rows name.

        Parameters
        ----------
        batches
            Rows ``file``, ``record``, ``kind``, ``key``, ``value``, ``sums``, sorted by the first three.
        """
        places: deque[Place] = deque()

        def items() -> Iterator[Record]:
            pages = found_pages(batches)
            place, found = next(pages, _END)
            while place != _END[0]:
                file = place.file
                for number, record, _ in items_of(self._pieces[file], self.job):
                    while place.file == file and place.record < number:
                        place, found = next(pages, _END)
                    there = place == (file, number)
                    if isinstance(record, Record) and (there or self.job.table):
                        places.append(Place(file, number))
                        yield _answered(record, found if there else None)
                while place.file == file:
                    place, found = next(pages, _END)

        work = self.job.work()
        sites = JoinedSites(self.job.form, work.make)
        flow = Flow(1, work, self.job.limits, record_in)
        for record, result in flow.clean(items(), sites):
            yield Outcome(places.popleft(), record, result)


class JoinedSites(FrozenSites):
    """Sites that answer each page by what came back for it, and know nothing else.

    Parameters
    ----------
    form
        How rows become answers.
    make
        Makes a detector of the run's method.
    """

    def __init__(self, form: Form, make: Callable[[], Detector]) -> None:
        super().__init__({}, None, None, None, make, type(make()))
        self._form = form

    def answer(self, given: object, site: str, query: Any) -> Any:  # noqa: ANN401, ARG002  # see a detector's
        """Assemble the answer; None for a page that its site has not learnt."""
        found = given.found if isinstance(given, AnsweredRecord) else None
        return None if found is None else self._form.answer(query, found)


def _answered(record: Record, found: Found | None) -> AnsweredRecord:
    values = {field.name: getattr(record, field.name) for field in dataclasses.fields(Record)}
    return AnsweredRecord(**values, found=found)


def found_pages(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Place, Found | None]]:
    """Put the sorted rows of each page together; see :meth:`Judging.outcomes`."""
    waiting: list[_Rows] = []
    for batch in batches:
        rows = _Rows.of(batch)
        starts = np.flatnonzero(rows.kind == PAGE).tolist()
        ends = [*starts, len(rows.kind)]
        if ends[0] > 0:
            waiting.append(rows.part(0, ends[0]))
        for begin, end in zip(starts, ends[1:], strict=True):
            if waiting:
                yield _page(waiting)
            waiting = [rows.part(begin, end)]
    if waiting:
        yield _page(waiting)


class _Rows(NamedTuple):
    """Some rows that came back."""

    file: npt.NDArray[Any]
    record: npt.NDArray[Any]
    kind: npt.NDArray[Any]
    key: npt.NDArray[Any]
    value: npt.NDArray[Any]
    sums: Any

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> _Rows:
        columns = [batch.column(name) for name in cls._fields]
        arrays = [column.fill_null(0).to_numpy(zero_copy_only=False) for column in columns[:-1]]
        file, record, kind, key, value = arrays
        return cls(file, record, kind, key, value, columns[-1])

    def part(self, begin: int, end: int) -> _Rows:
        return _Rows._make(column[begin:end] for column in self)


def _page(parts: list[_Rows]) -> tuple[Place, Found | None]:
    """Make one page's findings of its rows, the first of which is its own; None if it was not learnt."""
    first = parts[0]
    place = Place(int(first.file[0]), int(first.record[0]))
    totals = first.sums[0].as_py()
    kind, key, value = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("kind", "key", "value")
    )
    keys = np.ascontiguousarray(key).astype(np.int64).view(np.uint64)
    counts, slots = kind == COUNT, kind == SLOT
    order = np.argsort(keys[counts])
    slot_order = np.argsort(keys[slots])
    sums = _sums(parts)[slot_order] if slots.any() else np.zeros((0, len(COLUMNS)), np.int64)
    if totals is None:
        return place, None
    counted = value[counts].astype(np.int64)[order]
    return place, Found(keys[counts][order], counted, keys[slots][slot_order], sums, *totals)


def _sums(parts: list[_Rows]) -> npt.NDArray[np.int64]:
    """Return the sums of the slots among rows. Slots × columns."""
    values = chain.from_iterable(
        part.sums.filter(_mask(part.kind == SLOT)).flatten().to_numpy(zero_copy_only=False) for part in parts
    )
    return np.fromiter(values, np.int64).reshape(-1, len(COLUMNS))


def _mask(rows: npt.NDArray[np.bool_]) -> Any:  # noqa: ANN401
    from detemplate.files.arrow import pa

    return pa.array(rows)
