"""The records that a pass lost: how many, when these are too many, and the file that names them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from detemplate.errors import NoPages, PageError, UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.io.record import Record, Skip
from detemplate.io.sources.base import STDIN
from detemplate.io.sources.inputnames import file_and_table
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.io.sources.selection import DEFAULT_MAX_BAD, SelectedSource
from detemplate.run.limits import rejection

if TYPE_CHECKING:
    from detemplate.io.sources.base import Source

_ADVICE: Final = {
    "too large": "raise --max-page-bytes",
    "too slow": "raise --max-page-seconds",
    "truncated": "fetch the input again",
    "unreadable": "check the files and their permissions",
    "binary": "say what the input is with --input-format",
    "empty": "check how the pages were stored",
    "no layout": "lay the pages out anew with 'python -m lab.layouts'",
    "undecodable": "check how the pages were stored",
}
"""What a user can do, by the reason for which most records are bad."""

_OF_ROWS: Final = {  # the same, where pages are fields of rows
    "bad record": "name the columns or keys with --html-column and --url-column",
    "empty": "name the column or key that holds HTML with --html-column",
}
_ROWS: Final = ("jsonl", "csv", "parquet", "arrow", "sqlite")  # kinds of input whose pages these are


class Losses:
    """The pages and the bad records of a pass, which fails above a share of bad ones, in [0, 1].

    A record is bad if it should have been a page and is lost (:attr:`detemplate.io.record.Skip.rejected`).
    Duplicates, redirects and records of other media types are not bad, and not counted.

    ``pages``: pages that could be used.
    ``bad``: number of bad records by reason.
    """

    def __init__(self, max_bad: float) -> None:
        self.pages = 0
        self.bad: Counter[str] = Counter()
        self._max_bad = max_bad
        self._examples: dict[str, Skip] = {}

    @classmethod
    def of(cls, source: Source, max_bad: float | None = None) -> Losses:
        """Begin to count for a source: a selected one says how many may be bad, of others half may be."""
        own = source.max_bad if isinstance(source, SelectedSource) else DEFAULT_MAX_BAD
        return cls(own if max_bad is None else max_bad)

    def lose(self, skip: Skip) -> None:
        """Count a skip, if it is bad."""
        if skip.rejected:
            self.bad[skip.reason] += 1
            self._note(skip)

    def swap(self, skip: Skip, count: int = 1) -> None:
        """Count pages that were counted as usable as bad, for one reason."""
        self.pages -= count
        self.bad[skip.reason] += count
        self._note(skip)

    def _note(self, skip: Skip) -> None:
        """Note the first skip of each reason."""
        self._examples.setdefault(skip.reason, skip)

    def skip_of(self, item: object, outcome: object) -> Skip | None:
        """Return the skip that an item is, or that an error made of its record; count the latter as bad."""
        if isinstance(item, Skip):
            return item
        if not isinstance(item, Record) or not isinstance(outcome, PageError):
            return None
        skip = rejection(item, outcome)
        self.swap(skip)
        return skip

    def check(self) -> None:
        """Raise UserError at the end of a pass if too many records were bad; it says why most were.

        Raises NoPages if all were.
        """
        bad = self.bad.total()
        total = bad + self.pages
        if bad <= self._max_bad * total:
            return
        reason, count = self.bad.most_common(1)[0]
        first = self._examples[reason]
        example = f" ({first.detail})" if first.detail else ""
        most = "" if bad == 1 else f"{'all' if count == bad else f'{count:,}'} of them: "
        known = (_OF_ROWS if _is_row(first) else {}).get(reason) or _ADVICE.get(reason)
        if not self.pages:
            records = "the only record is" if bad == 1 else f"all {bad:,} records are"
            raise NoPages(
                f"no page could be read: {records} bad; {most}{reason}{example}; "
                f"{known or 'look at the input'} ('detemplate inspect' shows what it has)"
            )
        advice = f"{known}, or " if known else ""
        raise UserError(
            f"{bad:,} of {total:,} records are bad, more than {100 * self._max_bad:.4g} %; {most}{reason}"
            f"{example}; {advice}go on without them with --max-bad 100 ('clean --rejects FILE' lists them, "
            "'inspect' counts them)"
        )


def _is_row(skip: Skip) -> bool:
    """Tell whether a bad record was a row of named fields."""
    path = skip.source.path if skip.source is not None else STDIN
    if path == STDIN:
        return skip.source is None or skip.source.position > 0
    return kind_of_name(file_and_table(path)[0], KINDS) in _ROWS


class Rejects(Closing):
    """Writes lost pages as JSON Lines: ``url``, ``reason``, ``detail``, ``source``, ``position``.

    Without a path, nothing is written. With ``every``, all skips are: also duplicates, redirects and records
    of other media types. The file takes its name when the block ends without an error.
    """

    def __init__(self, path: str | None, *, every: bool = False) -> None:
        self._every = every
        self._out = AtomicFile(path) if path is not None else None

    def write(self, skip: Skip) -> None:
        """Write a skip if a page was lost, or if every one is written; all are counted elsewhere."""
        if self._out is None or not (skip.rejected or self._every):
            return
        with writing(self._out.output):
            self._out.file.write(json.dumps(skip.as_row()).encode() + b"\n")
            self._out.file.flush()  # what costs the run its life is named before

    def close(self) -> None:
        """Give the file its name."""
        if self._out is not None:
            self._out.commit()

    def abort(self) -> None:
        """Remove the file."""
        if self._out is not None:
            self._out.discard()
