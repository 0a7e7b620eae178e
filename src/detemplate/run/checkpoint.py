"""Checkpoints: what a run has done of each piece, so that the same command goes on after it was killed.

A checkpoint is a directory. It holds a file for each piece that is done, whole or not at all: what the piece
teaches of its sites, or what was made of its pages; and between the passes, one file with all sites. A run
that goes on reads its input again, and skips the work on these pieces. Its output is that of a run that was
never killed.

The file of a piece is compressed: the length of a JSON object, the object, and bytes to which it refers.
Reading it executes nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from detemplate.detectors.state import DAMAGE
from detemplate.errors import PageError, UserError
from detemplate.files.atomic import AtomicFile, Closing
from detemplate.files.partial import hold, release
from detemplate.run import steps
from detemplate.run.pagework import Cleaned
from detemplate.sites.history import PageSummary
from detemplate.sites.storefile import StoreFile, is_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from detemplate.run.steps import Piece
    from detemplate.sites.store import SiteStore


LOCK: Final = "lock"
"""Name of the file that tells that the directory is in use."""

CLOSING: Final = "closing"
"""Name of the file that notes that only the outputs have still to get their names (:meth:`Claim.closing`)."""

_PATIENCE: Final = 2.0
"""Seconds to wait for the lock: a worker that has just been forked holds it when its owner is killed."""

_SHOWN: Final = 60  # characters of a value that a message shows


class Claim(Closing):
    """The base of checkpoints: a directory that belongs to one run until it is closed or aborted.

    It is made if it does not exist; its :class:`~pathlib.Path` is ``path``. ``who`` uses it: ``"run"`` or
    ``"crawl"``. Its file ``run.json`` or ``crawl.json`` says what that is: ``identity`` has values for JSON
    that must be equal when it goes on. Raises UserError if the directory has other files, belongs to another
    run, another process uses it, or it cannot be written.

    A note (:meth:`closing`) tells that only the outputs have still to get their names: if a run is killed
    then, no page is learned twice. The store is written last. Whoever finds the note and a store as the note
    says that it will be, knows that all is written.
    """

    def __init__(self, directory: str, who: str, identity: Mapping[str, object]) -> None:
        self.path = Path(directory)
        self._who = who
        self._told = self.path / f"{who}.json"
        with self.using():
            self.path.mkdir(parents=True, exist_ok=True)
            self._refuse_others()
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            hold(self._lock)
        late = time.monotonic() + _PATIENCE
        while not self._locked():
            if time.monotonic() > late:
                self.abort()
                raise UserError(
                    f"another {who} uses the checkpoint {self.path}; wait for its end, or name another"
                )
            time.sleep(0.02)
        try:
            with self.using():
                # As JSON holds them, so that they can be compared with those that were saved.
                self._begin(json.loads(json.dumps(identity, sort_keys=True, default=str)))
        except BaseException:
            self.abort()
            raise

    def _refuse_others(self) -> None:
        """Raise UserError if the directory has files and is no checkpoint."""
        names = sorted(each.name for each in self.path.iterdir())
        others = [name for name in names if name != LOCK and self._told.name not in name]
        if others and self._told.name not in names:
            raise UserError(f"{self.path} holds {others[0]}, which is no checkpoint: name another directory")

    def _begin(self, own: Mapping[str, object]) -> None:
        """Make sure that the directory is this run's, whose identity is given, or make it so."""
        if self._told.exists():
            saved = json.loads(self._told.read_text("utf-8"))
            if saved == own:
                return
            if not self._cleared():
                raise UserError(
                    f"{self.path} is the checkpoint of another {self._who} ({_difference(saved, own)}): give "
                    f"the command of that {self._who} again, or name another directory"
                )
        with AtomicFile(str(self._told)) as written:
            written.write(json.dumps(own, indent=1).encode() + b"\n")

    def _cleared(self) -> bool:
        """Remove another run's files if nothing is lost with them; tell whether."""
        return False

    def _locked(self) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    @contextmanager
    def using(self) -> Iterator[None]:
        """Make UserErrors of what goes wrong in the directory."""
        try:
            yield
        except UserError:
            raise
        except (OSError, ArithmeticError, *DAMAGE) as error:
            raise UserError(
                f"the checkpoint {self.path} cannot be used: {error}; check the space left and its "
                "permissions, or remove it to begin again"
            ) from error

    def close(self) -> None:
        """Let others use the directory."""
        self.abort()

    def abort(self) -> None:
        """Let others use the directory."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            release(lock)

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None) -> None:
        """Note that only the outputs have still to get their names: the counts, and what the store will be.

        ``generation``: as of a :class:`~detemplate.sites.storefile.StoreWriter`.
        """
        with self.using():
            self._note({"summary": summary, "generation": generation, "finished": False})

    def _note(self, noted: Mapping[str, object]) -> None:
        with (self.path / CLOSING).open("w", encoding="utf-8") as file:
            json.dump(noted, file)
            file.flush()
            os.fsync(file.fileno())  # the store is written after it

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a run that was killed when it had written all; else None.

        Raises UserError if another run has written the store since: nobody knows whether this run had before.
        """
        with self.using():
            noted = _noted(self.path)
            if noted.get("finished"):
                return dict(noted["summary"])
            if store is None or noted.get("generation") is None or not is_store(store):
                return None
            with closing(StoreFile(store)) as now:
                if [now.commits, now.hash] == noted["generation"]:
                    return dict(noted["summary"])
                if now.commits < noted["generation"][0]:
                    return None
        raise UserError(
            f"{store} was written by another run since this one was killed while it wrote it; it may have "
            f"this run's pages already. Remove {self.path} to clean and learn them (again)"
        )


def _noted(directory: Path) -> dict[str, Any]:
    """Return a directory's note; nothing if there is none, or the run was killed before it was whole."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        return dict(json.loads((directory / CLOSING).read_text("utf-8")))
    return {}


def was_closing(directory: str | None) -> bool:
    """Tell whether a run was killed while it gave its outputs their names: they may have them already."""
    if directory is None or not (Path(directory) / CLOSING).exists():
        return False
    return not _noted(Path(directory)).get("finished")


def _difference(saved: object, given: Mapping[str, object]) -> str:
    """Tell the first thing in which two runs differ."""
    if not isinstance(saved, dict):
        return "it is damaged"
    names = {**saved, **given}
    name = next((name for name in names if saved.get(name) != given.get(name)), "")
    was, now = (json.dumps(each.get(name))[:_SHOWN] for each in (saved, given))
    return f"{name} was {was}, now {now}"


_SITES: Final = "sites"  # has all sites, once all is learned
_LOST: Final = "lost.json"  # has the pages that cost their worker while they were learned
_LEARNT: Final = "learned-"
_CLEANED: Final = "cleaned-"  # begin the names of the files of pieces, whose numbers follow
_DIGITS: Final = 8  # of such a number
_NEW: Final = ".new"  # ends the name of a file that is being written
_LARGEST: Final = 1 << 30
"""Maximum size of a part, in bytes; a larger one is done again."""

_PACKER: Final = zstandard.ZstdCompressor(level=-1, write_checksum=True)
_LENGTH: Final = 8  # bytes of the object's length


class Checkpoint(Claim):
    """The checkpoint of a run; its end lets other runs use the directory.

    Its ``identity`` says what the run is: values for JSON that must be equal when it goes on. ``sites`` is
    the file with all sites; None before all is learned. Raises UserError if the directory belongs to another
    run that is not finished, is in use, or cannot be written.
    """

    def __init__(self, directory: str, identity: Mapping[str, object]) -> None:
        super().__init__(directory, "run", {**identity, "pieces": [steps.PAGES, steps.SIZE]})

    def _begin(self, own: Mapping[str, object]) -> None:
        super()._begin(own)
        self.sites = str(self.path / _SITES) if (self.path / _SITES).exists() else None

    def _cleared(self) -> bool:
        """Remove the files of a run that is finished, or has done nothing yet."""
        if not _noted(self.path).get("finished") and self._files(_SITES, _LEARNT, _CLEANED):
            return False
        self._remove(_SITES, _LOST, _LEARNT, _CLEANED, CLOSING, self._told.name)
        return True

    def learned(self, piece: Piece, queries: Mapping[Any, Any], lost: Mapping[int, PageError]) -> None:
        """Keep the sites and queries of a piece's pages, and the pages that cost their worker."""
        with self.using():
            self._write(self._file(_LEARNT, piece), packed(piece, lost, queries))

    def cleaned(self, piece: Piece, outcomes: Sequence[Any], queries: Mapping[Any, Any] | None) -> None:
        """Keep what was made of the items of a piece; in one pass, the queries of its pages, too."""
        with self.using():
            self._write(self._file(_CLEANED, piece), packed(piece, dict(enumerate(outcomes)), queries or {}))

    def learn_again(self, piece: Piece, sites: SiteStore, like: Any) -> None:  # noqa: ANN401
        """Let sites learn what an earlier process has learned of a piece; ``like`` is a query of the run."""
        with self.using():
            for site, query in piece.part.queries(like):
                sites.take(site, query)

    def mark(self, cut: Iterable[Piece], *, learning: bool) -> Iterator[Piece]:
        """Give pieces; those that are done have their part."""
        for piece in cut:
            file = self._file(_LEARNT if learning else _CLEANED, piece)
            part = Part(file, piece)
            piece.part = part if part.whole else None
            yield piece

    def between(self, sites: SiteStore, lost: Mapping[tuple[int, int], PageError]) -> None:
        """Keep all sites and the pages that cost their worker after the first of two passes."""
        target = self.path / _SITES
        new = target.with_suffix(_NEW)
        with self.using():
            told = [(*page, error.reason, error.detail, error.url) for page, error in lost.items()]
            self._write(self.path / _LOST, json.dumps(told).encode())
            new.unlink(missing_ok=True)
            sites.write(str(new))
            new.replace(target)
            self._remove(_LEARNT)
        sites.stands_at(str(target))

    def lost(self) -> dict[tuple[int, int], PageError]:
        """Return the pages that cost their worker in the first of two passes, by piece and place."""
        with self.using():
            told = json.loads((self.path / _LOST).read_text("utf-8"))
            return {(piece, place): PageError(*error) for piece, place, *error in told}

    def finish(self) -> None:
        """Keep nothing but the note that the run is finished."""
        with self.using():
            self._note({**_noted(self.path), "finished": True})
            self._remove(_SITES, _LOST, _LEARNT, _CLEANED)

    def _file(self, name: str, piece: Piece) -> Path:
        return self.path / f"{name}{piece.number:0{_DIGITS}}"

    def _write(self, file: Path, data: bytes) -> None:
        """Write a file that appears whole; if the machine stops, it may be damaged, which reading notices."""
        new = file.with_suffix(_NEW)
        new.write_bytes(data)
        new.replace(file)

    def _files(self, *names: str) -> list[Path]:
        """Give the files of these names, and those of all pieces where a name is the beginning of theirs."""
        pieces = {_LEARNT, _CLEANED}
        patterns = [name + "[0-9]" * _DIGITS if name in pieces else name for name in names]
        return [file for each in patterns for end in ("", _NEW) for file in self.path.glob(each + end)]

    def _remove(self, *names: str) -> None:
        for file in self._files(*names):
            file.unlink()


def packed(piece: Piece, outcomes: Mapping[int, Any], queries: Mapping[Any, Any]) -> bytes:
    """Return the file of a piece that is done.

    Of the outcomes by place, :class:`~detemplate.run.pagework.Cleaned` and errors are kept. ``queries`` are
    the sites and the queries of the pages that were learned.
    """
    errors = {place: each for place, each in outcomes.items() if isinstance(each, PageError)}
    told = {
        "items": len(piece.items),
        "queries": queries,
        "lost": {place: (error.reason, error.detail) for place, error in errors.items()},
        "rows": {place: _row(each) for place, each in outcomes.items() if isinstance(each, Cleaned)},
    }
    behind: list[Any] = []  # what json.dumps meets, in that order
    end = 0

    def place_of(value: bytes | np.ndarray[Any, Any]) -> list[Any]:
        """Put bytes or an array behind the object; return what stands for it."""
        nonlocal end
        start = end
        if isinstance(value, bytes):
            behind.append(value)
            end += len(value)
            return [start, len(value)]
        behind.append(np.ascontiguousarray(value))
        end += value.nbytes
        return [start, value.nbytes, value.dtype.str, value.shape]

    head = json.dumps(told, default=place_of).encode()
    return _PACKER.compress(b"".join([len(head).to_bytes(_LENGTH, "little"), head, *behind]))


class Part:
    """What an earlier process has done of a piece, read from its file.

    It is ``whole`` if the file is there, undamaged, and of such a piece.
    """

    def __init__(self, file: Path, piece: Piece) -> None:
        self.whole = False
        self.lost: dict[int, PageError] = {}
        try:
            data = _unpacked(file.read_bytes())
            end = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
            told, self._behind = json.loads(data[_LENGTH:end]), data[end:]
            if told["items"] != len(piece.items):
                return
            self._queries = told["queries"]
            for place, (reason, detail) in told["lost"].items():
                url = str(getattr(piece.given[int(place)], "url", ""))
                self.lost[int(place)] = PageError(str(reason), str(detail), url)
            done = {int(place): self._cleaned(row) for place, row in told["rows"].items()} | self.lost
            self.outcomes = [done.get(place) for place in range(len(piece.items))]
        except (OSError, zstandard.ZstdError, *DAMAGE):
            return
        self.whole = True

    def queries(self, like: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
        """Return the sites and the queries of the pages that were learned; every query is like the given one.

        Raises one of :data:`~detemplate.detectors.state.DAMAGE` for others.
        """
        return [(str(site), self._like(query, like)) for site, query in self._queries.values()]

    def _like(self, told: Any, like: Any) -> Any:  # noqa: ANN401
        """Return a value of the type of another one; tuples of numbers and lists may differ in length."""
        if told is None:
            return None
        if isinstance(like, bytes):
            return self._bytes(told)
        if isinstance(like, np.ndarray):
            *place, dtype, shape = told
            if dtype != like.dtype.str or shape[1:] != list(like.shape[1:]):
                raise ValueError("an array has another type")
            return np.frombuffer(self._bytes(place), like.dtype).reshape(shape).copy()
        if isinstance(like, tuple) and not all(isinstance(each, int) for each in like):
            every = [self._like(*each) for each in zip(told, like, strict=True)]
            return type(like)(*every) if hasattr(like, "_fields") else tuple(every)
        if isinstance(like, tuple | list):
            return type(like)(self._like(each, like[0]) for each in told)
        if type(told) is not type(like):
            raise TypeError("a value has another type")
        return told

    def _bytes(self, place: list[Any]) -> bytes:
        start, size = map(int, place)
        found = self._behind[start : start + size]
        if start < 0 or len(found) != size:
            raise ValueError("bytes are missing")
        return found

    def _cleaned(self, told: list[Any]) -> Cleaned:
        """Return the page of what :func:`_row` made."""
        row, site, chars, cut, segments, cut_segments, removed, seen, seconds, *flags, rules = told
        if seen is not None:
            share, keys, texts, url, page_chars, every, goes = seen
            taken = tuple(map(int, keys)), tuple(map(str, texts)), str(url), int(page_chars)
            seen = PageSummary(float(share), *taken, self._bytes(every), self._bytes(goes))
        counts = int(chars), int(cut), int(segments), int(cut_segments)
        recoded, peerless = map(bool, flags)
        rest = float(seconds), recoded, peerless, tuple(map(str, rules))
        return Cleaned({**row}, str(site), *counts, tuple(map(str, removed)), seen, *rest)


def _unpacked(data: bytes) -> bytes:
    """Decompress a part; raises ValueError before its memory is taken where it says that it is too large."""
    if not 0 <= zstandard.frame_content_size(data) <= _LARGEST:
        raise ValueError("the part is too large")
    return zstandard.decompress(data)


def _row(page: Cleaned) -> tuple[Any, ...]:
    """Return a cleaned page for JSON."""
    seen = page.page_summary
    if seen is not None:
        seen = seen._replace(texts=tuple(seen.texts[place] for place in range(len(seen.keys))))
    return tuple(page._replace(page_summary=seen))
