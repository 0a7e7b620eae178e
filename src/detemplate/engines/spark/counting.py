"""How many pages have each key: functions on sorted rows, which Spark applies to parts of a table.

A *group* is the rows of one (site, key, chunk); Spark has sorted the rows by it. A chunk holds the pages of a
site from one number to another, so that no group is larger than a chunk, however large the site and however
frequent the key. Of a site of one chunk, counts are final at once (:func:`answers`). Of a larger one, each
chunk gives a row that sums it up (:func:`summaries`), and the rows of a key's chunks are joined in order
(:func:`joined`).

What is counted depends on the pages' places: keys expire after a lifetime
(:mod:`detemplate.algorithms.recurrence`), and method ``auto`` asks whether one of the pages shortly before
has a key (:func:`repeated`, :func:`new`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt
    import pyarrow as pa  # type: ignore[import-untyped]

    Numbers = npt.NDArray[np.int64]
    Columns = dict[str, Numbers]

GROUP: Final = ("site", "key", "chunk")
"""Columns of a group."""


class Rule(NamedTuple):
    """How pages are counted.

    Attributes
    ----------
    lives
        Lifetimes of a key on 1, 2, … pages; -1: for ever.
    grouped
        Whether ``tick`` is the number of a group of pages that count once, and not a place.
    """

    lives: tuple[int, ...] = (-1,)
    grouped: bool = False

    @property
    def forgets(self) -> bool:
        """Whether keys expire."""
        return self.lives != (-1,)

    def life(self, df: int) -> int:
        """Return the lifetime of a key on so many pages."""
        return self.lives[min(df, len(self.lives)) - 1]


def answers(batches: Iterable[pa.RecordBatch], rule: Rule) -> Iterator[Columns]:
    """Count the keys of sites of one chunk; give the counts to all pages that ask.

    Parameters
    ----------
    batches
        Rows ``site``, ``key``, ``chunk``, ``tick``, ``pos``, ``end``, sorted by the first three, then by
        ``pos`` (``tick``, if the rule is grouped). ``tick`` is the page's place among those that are counted,
        from 1; 0: it only asks. ``pos`` is the page. ``end`` is the number of counted pages of the site.
    rule
        How pages are counted.

    Yields
    ------
    dict of arrays
        ``pos``, ``key`` and ``value``, the number of pages that have the key: for each page that asks
        for a key that another page asks for, too.
    """
    for rows in groups(batches):
        pages = _Pages(rows, rule)
        counts = pages.frequencies(pages.ends("end"))
        kept = (pages.sizes > 1)[pages.group]
        yield {
            "pos": pages.rows["pos"][kept],
            "key": pages.rows["key"][kept],
            "value": counts[pages.group[kept]],
        }


def summaries(batches: Iterable[pa.RecordBatch], rule: Rule) -> Iterator[dict[str, Any]]:
    """Summarise each chunk's pages with each key; parameters as for :func:`answers`.

    Yields
    ------
    dict of columns
        ``site``, ``key``, ``chunk``, ``end``; ``asking``: pages that ask; ``first``, ``last``: places of the
        first and the last page that counts, 0 for none; ``count``: pages that count; ``becomes``: for
        document frequency 1, 2, … after the first page, that after the last (one number a lifetime; for the
        last, negative: it grows by so much). ``becomes`` is empty where no gap is longer than the shortest
        life.
    """
    for rows in groups(batches):
        pages = _Pages(rows, rule)
        starts = pages.starts
        ticks = pages.ticks
        place: Numbers = np.cumsum(pages.counting) - pages.counting
        count = np.add.reduceat(pages.counting.astype(np.int64), starts) if len(starts) else starts
        first, last = np.zeros((2, len(starts)), np.int64)
        some = count > 0
        if not rule.grouped:
            first[some] = ticks[place[starts[some]]]
            last[some] = ticks[place[starts[some]] + count[some] - 1]
        becomes: list[list[int]] = [[] for _ in starts]
        if rule.forgets:
            for number in np.flatnonzero(some & ~pages.steady).tolist():
                begin = int(place[starts[number]])
                own = ticks[begin : begin + int(count[number])].tolist()
                becomes[number] = _transitions(own, rule)
        yield {
            **{name: pages.rows[name][starts] for name in (*GROUP, "end")},
            "asking": pages.sizes,
            "first": first,
            "last": last,
            "count": count,
            "becomes": becomes,
        }


def joined(batches: Iterable[pa.RecordBatch], rule: Rule) -> Iterator[Columns]:
    """Join the summaries of each key's chunks.

    Parameters
    ----------
    batches
        Rows of :func:`summaries`, sorted by ``site``, ``key`` and ``chunk``.
    rule
        How pages are counted.

    Yields
    ------
    dict of arrays
        ``site``, ``key``, ``chunk`` and ``value``, for each chunk with a key on two or more pages.
    """
    for rows in groups(batches, ("site", "key")):
        starts = _starts(rows, ("site", "key"))
        asking = np.add.reduceat(rows["asking"], starts) if len(starts) else starts
        sizes = np.diff(np.append(starts, len(rows["key"])))
        counts = np.add.reduceat(rows["count"], starts) if len(starts) else starts
        if rule.forgets:
            for number in range(len(starts)):
                begin, size = int(starts[number]), int(sizes[number])
                counts[number] = _composed(
                    {name: column[begin : begin + size] for name, column in rows.items()}, rule
                )
        kept = np.repeat(asking > 1, sizes)
        yield {**{name: rows[name][kept] for name in GROUP}, "value": np.repeat(counts, sizes)[kept]}


def repeated(batches: Iterable[pa.RecordBatch], window: int) -> Iterator[Columns]:
    """Find the pages that have a key of one of the pages before.

    Parameters
    ----------
    batches
        Rows ``site``, ``key``, ``chunk``, ``place``, ``pos``, ``own``, sorted by the first four. ``place`` is
        the page's number in its site; ``own`` is 0 for pages of the chunk before, which are only looked at.
    window
        Number of pages before a page that are looked at.

    Yields
    ------
    dict of arrays
        ``pos``: the pages; one may come several times.
    """
    for rows in groups(batches):
        seen = _seen(rows, window) & (rows["own"] > 0)
        yield {"pos": rows["pos"][seen]}


def new(batches: Iterable[pa.RecordBatch], window: int) -> Iterator[Columns]:
    """Find the keys that count for a page because a mark on it is new.

    Parameters
    ----------
    batches
        As for :func:`repeated`, also with ``fresh``, the key that counts, ``tick``, ``end`` and ``several``.
    window
        As for :func:`repeated`.

    Yields
    ------
    dict of arrays
        The given columns, with ``key`` for what was ``fresh``; repeated where several marks are new.
    """
    for rows in groups(batches):
        kept = ~_seen(rows, window) & (rows["own"] > 0) & (rows["tick"] > 0)
        found = {name: rows[name][kept] for name in ("site", "chunk", "tick", "pos", "end", "several")}
        yield {**found, "key": rows["fresh"][kept]}


def groups(batches: Iterable[pa.RecordBatch], names: Sequence[str] = GROUP) -> Iterator[dict[str, Any]]:
    """Give the rows of whole groups, as columns; at least one batch's at a time.

    Parameters
    ----------
    batches
        Sorted rows.
    names
        Columns of a group.

    Yields
    ------
    dict
        Arrays by column; columns of lists as lists.
    """
    waiting: list[dict[str, Any]] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = _columns(batch)
        starts = _starts(rows, names)
        continues = waiting and all(waiting[-1][name][-1] == rows[name][0] for name in names)
        cut = int(starts[-1])
        if continues and cut == 0:
            waiting.append(rows)
            continue
        whole = [*waiting, {name: column[:cut] for name, column in rows.items()}]
        yield _concatenated(whole)
        waiting = [{name: column[cut:] for name, column in rows.items()}]
    if waiting:
        yield _concatenated(waiting)


class _Pages:
    """The pages of groups, each once: the last row of those of a page, as one that only asks comes first."""

    def __init__(self, rows: Columns, rule: Rule) -> None:
        starts = _starts(rows, GROUP)
        last = np.ones(len(rows["pos"]), np.bool_)
        if not rule.grouped and len(last):
            last[:-1] = rows["pos"][1:] != rows["pos"][:-1]
            last[starts[1:] - 1] = True
        self.rows = {name: column[last] for name, column in rows.items()}
        self.starts = _starts(self.rows, GROUP)
        self.sizes = np.diff(np.append(self.starts, len(self.rows["pos"])))
        self.group = np.repeat(np.arange(len(self.starts)), self.sizes)
        tick = self.rows["tick"]
        if rule.grouped:  # equal numbers follow one another
            self.counting = np.ones(len(tick), np.bool_)
            self.counting[1:] = (tick[1:] != tick[:-1]) | (self.group[1:] != self.group[:-1])
        else:
            self.counting = tick > 0
        self._rule = rule
        self.ticks = tick[self.counting]
        owners = self.group[self.counting]
        self.steady = np.ones(len(self.starts), np.bool_)
        shortest = (
            min(life for life in rule.lives if life >= 0) if rule.forgets and max(rule.lives) >= 0 else -1
        )
        if shortest >= 0 and len(owners):
            late = (np.diff(self.ticks) > shortest) & (owners[1:] == owners[:-1])
            self.steady[owners[1:][late]] = False

    def ends(self, name: str) -> Numbers:
        """Return a column's value for each group."""
        return self.rows[name][self.starts]

    def frequencies(self, ends: Numbers) -> Numbers:
        """Return the document frequency of each group's key after ``ends`` pages of its site."""
        if not len(self.starts):
            return np.zeros(0, np.int64)
        counts = np.add.reduceat(self.counting.astype(np.int64), self.starts)
        rule = self._rule
        if not rule.forgets:
            return counts
        place: Numbers = np.cumsum(self.counting) - self.counting
        begins: Numbers = place[self.starts]
        last = np.zeros(len(counts), np.int64)
        last[counts > 0] = self.ticks[begins[counts > 0] + counts[counts > 0] - 1]
        for number in np.flatnonzero(~self.steady).tolist():
            begin = int(begins[number])
            own = self.ticks[begin : begin + int(counts[number])].tolist()
            counts[number] = _fold(own, rule)
        lives = np.array(rule.lives)[np.clip(counts, 1, len(rule.lives)) - 1]
        counts[(lives >= 0) & (ends - last >= lives)] = 0
        return counts


def _seen(rows: Columns, window: int) -> npt.NDArray[np.bool_]:
    """Tell of each row whether one of the pages before its page is in its group."""
    place = rows["place"]
    size = len(place)
    seen = np.zeros(size, np.bool_)
    if not size:
        return seen
    # The first row of each page's rows in a group, and that of the page before it.
    begins = np.ones(size, np.bool_)
    starts = _starts(rows, GROUP)
    begins[1:] = place[1:] != place[:-1]
    begins[starts] = True
    first = np.flatnonzero(begins)
    before = np.full(len(first), -1, np.int64)
    before[1:] = place[first[:-1]]
    fresh = np.zeros(size, np.bool_)
    fresh[starts] = True
    near = (before >= 0) & ~fresh[first] & (place[first] - before <= window)
    return np.repeat(near, np.diff(np.append(first, size)))


def _fold(ticks: Sequence[int], rule: Rule, df: int = 0, last: int = 0) -> int:
    """Return the document frequency after the last of the pages, by the lifetimes."""
    life = rule.life
    for tick in ticks:
        if df:
            alive = life(df)
            if 0 <= alive < tick - last:
                df = 0
        df += 1
        last = tick
    return df


def _transitions(ticks: Sequence[int], rule: Rule) -> list[int]:
    """Return what each document frequency after the first page becomes; see :func:`summaries`."""
    most = len(rule.lives)
    found = [_fold(ticks[1:], rule, df, ticks[0]) for df in range(1, most + 1)]
    # A key that is never forgotten on the way grows by one a page, however frequent it was before.
    grown = found[-1] == most + len(ticks) - 1
    return [*found[:-1], -len(ticks) if grown else found[-1]]


def _composed(rows: dict[str, Any], rule: Rule) -> int:
    """Return the document frequency of one key at the end of its site, by its chunks' summaries."""
    df = last = 0
    for first, until, count, becomes in zip(
        rows["first"].tolist(), rows["last"].tolist(), rows["count"].tolist(), rows["becomes"], strict=True
    ):
        if not count:
            continue
        df = _fold([first], rule, df, last)
        if not len(becomes):
            df += count - 1
        else:
            change = int(becomes[min(df, len(becomes)) - 1])
            df = df - change - 1 if change < 0 else change
        last = until
    life = rule.life(max(df, 1))
    return 0 if df and 0 <= life <= int(rows["end"][0]) - last else df


def _starts(rows: dict[str, Any], names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the first row of each group."""
    size = len(rows[names[0]])
    if not size:
        return np.zeros(0, np.intp)
    begins = np.ones(size, np.bool_)
    begins[1:] = np.logical_or.reduce([rows[name][1:] != rows[name][:-1] for name in names])
    return np.flatnonzero(begins)


def _columns(batch: pa.RecordBatch) -> dict[str, Any]:
    """Return a batch's columns: numbers as arrays, lists as lists."""
    found: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        numeric = str(column.type) in {"int64", "int32", "int8"}
        found[name] = (
            column.to_numpy(zero_copy_only=False).astype(np.int64) if numeric else column.to_pylist()
        )
    return found


def _concatenated(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Join columns of several batches."""
    if len(parts) == 1:
        return parts[0]
    return {
        name: [item for part in parts for item in part[name]]
        if isinstance(parts[0][name], list)
        else np.concatenate([part[name] for part in parts])
        for name in parts[0]
    }


def arrow(columns: Callable[[Iterator[Any]], Iterator[dict[str, Any]]], schema: pa.Schema) -> Any:  # noqa: ANN401
    """Make a function on Arrow batches, for Spark, of one that gives columns."""
    return _Arrow(columns, schema)


class _Arrow:
    """Turns columns into Arrow batches."""

    def __init__(
        self, columns: Callable[[Iterator[Any]], Iterator[dict[str, Any]]], schema: pa.Schema
    ) -> None:
        self._columns = columns
        self._schema = schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Apply the function."""
        from detemplate.files.arrow import pa

        for columns in self._columns(batches):
            arrays = [pa.array(columns[field.name], field.type) for field in self._schema]
            if len(arrays[0]):
                yield pa.RecordBatch.from_arrays(arrays, schema=self._schema)
