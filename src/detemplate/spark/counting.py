"""How many pages have each key: functions on sorted rows, which Spark applies to parts of a table.

Of a site of one chunk, counts are final at once (:func:`answers`). Of a larger one, each chunk gives a row
that sums it up (:func:`summaries`), and the rows of a key's chunks are joined in order (:func:`joined`).

What is counted depends on the pages' places: keys expire after a lifetime
(:mod:`detemplate.algorithms.recurrence`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from detemplate.spark.grouping import GROUP, groups, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]

    from detemplate.spark.grouping import Columns, Numbers


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
        starts = starts_of(rows, ("site", "key"))
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


class _Pages:
    """The pages of groups, each once: the last row of those of a page, as one that only asks comes first."""

    def __init__(self, rows: Columns, rule: Rule) -> None:
        starts = starts_of(rows, GROUP)
        last = np.ones(len(rows["pos"]), np.bool_)
        if not rule.grouped and len(last):
            last[:-1] = rows["pos"][1:] != rows["pos"][:-1]
            last[starts[1:] - 1] = True
        self.rows = {name: column[last] for name, column in rows.items()}
        self.starts = starts_of(self.rows, GROUP)
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
