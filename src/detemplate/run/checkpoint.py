"""Checkpoints: what a run has done so far, so that the same command goes on after the run was killed.

A checkpoint is a directory with a journal, to which the outcomes of the pages that were cleaned are appended,
another one with what pages have asked their sites, files with the hashes of the URLs that were seen, and an
SQLite file. One transaction joins the place of the input's next item and the parts of the other files that
count. A run that goes on lets the sites learn again what they were asked, begins to read its input at that
place, and writes the outcomes again: its output is that of a run that was never killed.

Queries are short and quick to write; the states of sites are neither. Only where the queries have become
longer than all states, these are saved, and the queries forgotten.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.record import Record
from detemplate.run.appended import AppendedFile
from detemplate.run.claim import Claim, identity_of
from detemplate.run.closing import CLOSING, ClosingNote
from detemplate.run.journal import (
    Journal,
    packed,
    packed_queries,
    unpacked,
    unpacked_queries,
    without_page,
)
from detemplate.run.position import CLEANING, LEARNING, Position
from detemplate.run.runfile import NAMES, RunFile, Sizes
from detemplate.run.seenurls import DIGEST, SEEN_URLS, UrlLog
from detemplate.run.workers.leg import Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager


SECONDS: Final = 15.0
"""Least time between two checkpoints, in seconds."""

_SHARE: Final = 1 / 40
"""Share of the time that checkpoints may take before they are made less often."""

_MOST_TIMES: Final = 5 / 3
"""How many times :data:`SECONDS` may pass between two checkpoints: 25 seconds, as a run that is killed is to
repeat less than 30."""

_OUTCOMES: Final = "outcomes"
"""Name of the file with the outcomes."""

_LEARNT: Final = "learnt"
"""Name of the file with the queries."""

LEARNT_BYTES: Final = 1 << 30
"""Bytes of queries that are always kept: of about 70,000 pages, which are learnt again in a few seconds."""

WAITING_BYTES: Final = 1 << 24
"""Bytes of pages whose outcomes and queries wait in memory to be written together."""

_URLS: Final = {LEARNING: "urls-learning", CLEANING: "urls-cleaning"}
"""Names of the files with the hashes of the URLs that each pass has seen."""


class Due(Mark):
    """The place of a checkpoint among the items: what it holds is what is done when its turn comes.

    Attributes
    ----------
    position
        Where the input is.
    urls
        Bytes of the URLs that were seen before it.
    learnt
        Bytes of the queries that were learnt before it; -1: it is not reached yet.
    """

    def __init__(self, position: Position, urls: int, learnt: Callable[[], int], *, pause: bool) -> None:
        super().__init__(pause=pause)
        self.position = position
        self.urls = urls
        self.learnt = -1
        self._learnt = learnt

    def reached(self) -> None:
        """Note how much is learnt."""
        if self.learnt < 0:
            self.learnt = self._learnt()


class Checkpoint:
    """The checkpoint of a run.

    A context manager: its end closes the files. They stay, unless :meth:`finish` was called.

    Parameters
    ----------
    directory
        The directory. It is made if it does not exist.
    identity
        What the run is: values for JSON that must be equal when it goes on.
    seconds
        Least time between two checkpoints. It may be :data:`_MOST_TIMES` as long where they take long.

    Attributes
    ----------
    path : str
        The SQLite file.
    position : Position or None
        How far the run had come; None for a run that begins.

    Raises
    ------
    UserError
        The directory belongs to another run, is in use, or cannot be written.
    """

    def __init__(self, directory: str, identity: Mapping[str, object], seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._wait = seconds
        self._saved = time.monotonic()
        self._given = 0
        self._urls: AppendedFile | None = None
        self._claim = Claim(directory, "run")
        with ExitStack() as undo:
            undo.callback(self._claim.release)
            with self._writing():
                self._file = undo.enter_context(closing(RunFile(self._claim, identity_of(identity))))
                sizes, folder = self._file.sizes, self._claim.path
                self._outcomes = Journal(str(folder / _OUTCOMES), sizes.outcomes, packed, unpacked)
                undo.callback(self._outcomes.close)
                self._learnt = Journal(str(folder / _LEARNT), sizes.learnt, packed_queries, unpacked_queries)
            undo.pop_all()
        self.path, self.position = str(self._file.path), self._file.position

    @property
    def due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return time.monotonic() - self._saved >= self._wait

    def urls(self, stage: str) -> UrlLog:
        """Return the URLs that a pass has seen up to :attr:`position`; it adds those that it sees."""
        same = self.position is not None and self.position.stage == stage
        size = self._file.sizes.urls if same else 0
        with self._writing():
            if self._urls is not None:
                self._urls.close()
            urls = self._urls = AppendedFile(str(self._claim.path / _URLS[stage]), size)
            last = DIGEST * SEEN_URLS  # what came before these has been forgotten already
            return UrlLog(self._file.secret, urls.read(max(0, size - last), last), urls.add)

    @property
    def replaced(self) -> bytes | None:
        """Which records of the input are replaced by later versions; None if that is not known."""
        return self._file.replaced

    @replaced.setter
    def replaced(self, replaced: bytes) -> None:
        with self._writing():
            self._file.replaced = replaced

    def given(self, item: object) -> None:
        """Be told of an item that comes; after :data:`WAITING_BYTES` of pages, write what waits."""
        if isinstance(item, Record):
            self._given += item.size
        if self._given > WAITING_BYTES:
            self._given = 0
            with self._writing():
                self._outcomes.write()
                self._learnt.write()

    def add(self, item: object, outcome: object) -> None:
        """Keep the outcome of an item, but not its page; it counts from the next :meth:`save` on."""
        if self._outcomes.add(without_page(item), outcome):
            with self._writing():
                self._outcomes.write()

    def learn(self, site: str, query: object) -> None:
        """Keep what a page has asked its site, which has learnt it."""
        if self._learnt.add(site, query):
            with self._writing():
                self._learnt.write()

    def learnt(self) -> Iterator[tuple[str, Any]]:
        """Give the sites and queries since the states of sites were saved, in order."""
        with self._writing():
            yield from self._learnt.pairs()

    def due_at(self, position: Position, *, frozen: bool = False) -> Due:
        """Give the place of a checkpoint among the items, and bring to disk what is kept so far.

        Parameters
        ----------
        position
            Where the input is. What is seen of it from now on is not part of the checkpoint.
        frozen
            Whether nothing more is learnt.
        """
        with self._writing():
            self._outcomes.sync()
            learnt = self._learnt.sync()
            urls = self._urls.sync() if self._urls is not None else 0
        # States are compressed, to half their size.
        pause = not frozen and learnt > max(LEARNT_BYTES, 2 * self._file.states)
        return Due(position, urls, self._queries, pause=pause)

    def _queries(self) -> int:
        with self._writing():
            return self._learnt.write()

    def save(self, due: Due, sites: Iterable[tuple[str | bytes, int, bytes]] = ()) -> None:
        """Save what is done; a run that is killed later goes on from here.

        Parameters
        ----------
        due
            From :meth:`due_at`; all items before it are done. Where it is a pause, no others are begun.
        sites
            Where it is a pause: name, pages and state of each site that has learnt since the last pause.

        Raises
        ------
        UserError
            It cannot be written.
        """
        start = time.monotonic()
        due.reached()
        with self._writing():
            outcomes = self._outcomes.sync()
            self._learnt.sync()
            sizes = Sizes(due.urls, outcomes, 0 if due.pause else due.learnt)
            self._file.save(due.position, sizes, sites if due.pause else None)
            if due.pause:
                self._learnt.clear()
        self._saved = time.monotonic()
        wanted = (self._saved - start) / _SHARE
        self._wait = max(self._seconds, min(wanted, _MOST_TIMES * self._seconds))

    def outcomes(self) -> Iterator[tuple[Any, Any]]:
        """Give all items with their outcomes, in order, as they were saved."""
        with self._writing():
            yield from self._outcomes.pairs()

    def state(self, name: str | bytes) -> bytes | None:
        """Return the saved state of a site; None for a site that has learnt nothing."""
        with self._writing():
            return self._file.state(name)

    def sites(self) -> Iterator[tuple[str | bytes, int, bytes]]:
        """Give name, pages and state of all saved sites."""
        with self._writing():
            yield from self._file.sites()

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None = None) -> None:
        """Note that all pages are done: :meth:`~detemplate.run.closing.ClosingNote.write`."""
        with self._writing():
            ClosingNote(self._claim.path).write(summary, generation)

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a run that was killed when it had written all; else None.

        Raises
        ------
        UserError
            As of :meth:`~detemplate.run.closing.ClosingNote.done`.
        """
        with self._writing():
            return ClosingNote(self._claim.path).done(store)

    def finish(self) -> None:
        """Remove the checkpoint: the run is done."""
        self._close_logs()
        self._file.drop()
        self._claim.remove((*NAMES, _OUTCOMES, _LEARNT, *_URLS.values(), CLOSING))

    def close(self) -> None:
        """Close the files; what was not saved is lost."""
        self._close_logs()
        self._file.close()
        self._claim.release()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close_logs(self) -> None:
        self._outcomes.close()
        self._learnt.close()
        if self._urls is not None:
            self._urls.close()

    def _writing(self) -> AbstractContextManager[None]:
        return self._claim.using(sqlite3.Error, TypeError)
