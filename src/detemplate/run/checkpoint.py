"""Checkpoints: what a run has done of each piece, so that the same command goes on after it was killed.

A checkpoint is a directory. It holds a file for each piece that is done, whole or not at all: what the piece
teaches of its sites, or what was made of its pages; and between the passes, one file with all sites. A run
that goes on reads its input again, and skips the work on these pieces. Its output is that of a run that was
never killed.

The file of a piece is compressed: the length of a JSON object, the object, and bytes to which it refers.
Reading it executes nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from detemplate.detectors.state import DAMAGE
from detemplate.errors import PageError
from detemplate.io.sinks.out import EncodedRow
from detemplate.run import pieces
from detemplate.run.claim import CLOSING, Claim, ClosingNote, identity_of
from detemplate.run.pagework import Cleaned
from detemplate.sites.history import Glance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from detemplate.run.pieces import Piece
    from detemplate.sites.store import SiteStore

_RUN: Final = "run.json"  # says what the run is
_SITES: Final = "sites"  # has all sites, once all is learnt
_LOST: Final = "lost.json"  # has the pages that cost their worker while they were learnt
_LEARNT: Final = "learnt-"
_CLEANED: Final = "cleaned-"  # begin the names of the files of pieces
_NEW: Final = ".new"  # ends the name of a file that is being written
_LARGEST: Final = 1 << 30
"""Maximum size of a part, in bytes; a larger one is done again."""

_PACKER: Final = zstandard.ZstdCompressor(level=-1, write_checksum=True)
_LENGTH: Final = 8  # bytes of the object's length


class Checkpoint:
    """The checkpoint of a run. A context manager: its end lets other runs use the directory.

    Its ``identity`` says what the run is: values for JSON that must be equal when it goes on. ``sites`` is
    the file with all sites; None before all is learnt. Raises UserError if the directory belongs to another
    run that is not finished, is in use, or cannot be written.
    """

    def __init__(self, directory: str, identity: Mapping[str, object]) -> None:
        self._claim = Claim(directory, "run")
        self._path = self._claim.path
        self._note = ClosingNote(self._path)
        own = identity_of({**identity, "pieces": [pieces.PAGES, pieces.SIZE]})
        try:
            with self._claim.using():
                self._begin(own)
                self.sites = str(self._path / _SITES) if (self._path / _SITES).exists() else None
        except BaseException:
            self._claim.release()
            raise

    def _begin(self, own: Mapping[str, object]) -> None:
        """Make sure that the directory is this run's."""
        file = self._path / _RUN
        saved = json.loads(file.read_text("utf-8")) if file.exists() else None
        begun = any(path.name.startswith((_SITES, _LEARNT, _CLEANED)) for path in self._path.iterdir())
        if saved is not None and saved != own and (self._note.finished or not begun):
            self._remove(_RUN, _SITES, _LOST, CLOSING, _LEARNT, _CLEANED)
            saved = None
        if saved is None:
            self._write(file, json.dumps(own).encode())
        else:
            self._claim.check(saved, own)

    def learnt(self, piece: Piece, queries: Mapping[Any, Any], lost: Mapping[int, PageError]) -> None:
        """Keep the sites and queries of a piece's pages, and the pages that cost their worker."""
        with self._claim.using():
            self._write(self._file(_LEARNT, piece), packed(piece, lost, queries))

    def cleaned(self, piece: Piece, outcomes: Sequence[Any], queries: Mapping[Any, Any] | None) -> None:
        """Keep what was made of the items of a piece; in one pass, the queries of its pages, too."""
        with self._claim.using():
            self._write(self._file(_CLEANED, piece), packed(piece, dict(enumerate(outcomes)), queries or {}))

    def learn_again(self, piece: Piece, sites: SiteStore, like: Any) -> None:  # noqa: ANN401
        """Let sites learn what an earlier process has learnt of a piece; ``like`` is a query of the run."""
        with self._claim.using():
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
        target = self._path / _SITES
        new = target.with_suffix(_NEW)
        with self._claim.using():
            told = [(*page, error.reason, error.detail, error.url) for page, error in lost.items()]
            self._write(self._path / _LOST, json.dumps(told).encode())
            new.unlink(missing_ok=True)
            sites.write(str(new))
            new.replace(target)
            self._remove(_LEARNT)
        sites.stands_at(str(target))

    def lost(self) -> dict[tuple[int, int], PageError]:
        """Return the pages that cost their worker in the first of two passes, by piece and place."""
        with self._claim.using():
            told = json.loads((self._path / _LOST).read_text("utf-8"))
            return {(piece, place): PageError(*error) for piece, place, *error in told}

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None) -> None:
        """Note that all pages are done: :meth:`~detemplate.run.claim.ClosingNote.write`."""
        with self._claim.using():
            self._note.write(summary, generation)

    def done(self, store: str | None, output: str) -> dict[str, Any] | None:
        """Return the summary of a run that has written all; else None; raises as the note's ``done``."""
        with self._claim.using():
            found = self._note.done(store)
            return found if found is not None and Path(output).exists() else None

    def finish(self) -> None:
        """Keep nothing but the note that the run is finished."""
        with self._claim.using():
            self._note.finish()
            self._remove(_SITES, _LOST, _LEARNT, _CLEANED)

    def close(self) -> None:
        """Let other runs use the directory."""
        self._claim.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _file(self, name: str, piece: Piece) -> Path:
        return self._path / f"{name}{piece.number:08}"

    def _write(self, file: Path, data: bytes) -> None:
        """Write a file that appears whole; if the machine stops, it may be damaged, which reading notices."""
        new = file.with_suffix(_NEW)
        new.write_bytes(data)
        new.replace(file)

    def _remove(self, *names: str) -> None:
        """Remove files of these names, and those of all pieces where a name is the beginning of theirs."""
        for name in names:
            for file in self._path.glob(f"{name}*" if name in {_LEARNT, _CLEANED} else name):
                file.unlink()


def packed(piece: Piece, outcomes: Mapping[int, Any], queries: Mapping[Any, Any]) -> bytes:
    """Return the file of a piece that is done.

    Of the outcomes by place, :class:`~detemplate.run.pagework.Cleaned` and errors are kept. ``queries`` are
    the sites and the queries of the pages that were learnt.
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
        """Return the sites and the queries of the pages that were learnt; every query is like the given one.

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
        if isinstance(row, list):
            row = EncodedRow(self._bytes(row[0]), tuple(row[1]))
        if seen is not None:
            share, keys, texts, url, page_chars, every, goes = seen
            taken = tuple(map(int, keys)), tuple(map(str, texts)), str(url), int(page_chars)
            seen = Glance(float(share), *taken, self._bytes(every), self._bytes(goes))
        counts = int(chars), int(cut), int(segments), int(cut_segments)
        recoded, peerless = map(bool, flags)
        rest = float(seconds), recoded, peerless, tuple(map(str, rules))
        return Cleaned(row, str(site), *counts, tuple(map(str, removed)), seen, *rest)


def _unpacked(data: bytes) -> bytes:
    """Decompress a part; raises ValueError before its memory is taken where it says that it is too large."""
    if not 0 <= zstandard.frame_content_size(data) <= _LARGEST:
        raise ValueError("the part is too large")
    return zstandard.decompress(data)


def _row(page: Cleaned) -> tuple[Any, ...]:
    """Return a cleaned page for JSON."""
    seen = page.glance
    if seen is not None:
        seen = seen._replace(texts=tuple(seen.texts[place] for place in range(len(seen.keys))))
    return tuple(page._replace(glance=seen))
