"""What can go wrong, in the two kinds that callers treat differently; and how messages count."""

from __future__ import annotations

import shlex
import sys
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_LISTED: Final = 5
"""Names of many that a message lists."""


class DetemplateError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_code = 2
    """Exit code of a command that ends with it."""


class UserError(DetemplateError):
    """Something that the user can mend: a missing file, an unknown method, an unwritable output.

    The message is one line that says what is wrong and what to do. The command line prints it
    and exits with code 2.
    """


class Incomplete(DetemplateError):  # noqa: N818  # the run has ended, and its output is written
    """A run has ended, and its output lacks what should be in it; the command line prints one line."""

    exit_code = 3


class NoPages(UserError, Incomplete):  # noqa: N818  # as Incomplete
    """An input has no page that could be read; nothing is written, or an empty output."""

    exit_code = 3


class MissingExtra(UserError):  # noqa: N818
    """A feature needs an optional dependency; the message names the ``pip install``.

    The command is that of the running interpreter. It works wherever the package came from: pip sees that it
    is installed, and adds the packages of the extra.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)

    def __str__(self) -> str:
        feature, extra = self.args
        pip = shlex.join([sys.executable, "-m", "pip", "install", f"detemplate[{extra}]"])
        return f"{feature} needs an extra: {pip}"


class PageError(DetemplateError):
    """One page cannot be processed; the run goes on without it.

    Parameters
    ----------
    reason
        A short name that counters use, for example ``"too large"``.
    detail
        What exactly was found, for a person.
    url
        The page's URL, where it is known; the message begins with it.
    """

    def __init__(self, reason: str, detail: str = "", url: str = "") -> None:
        super().__init__(reason, detail, url)
        self.reason = reason
        self.detail = detail
        self.url = url

    @property
    def found(self) -> str:
        """Reason and detail, without the URL."""
        return ": ".join(filter(None, (self.reason, self.detail)))

    def __str__(self) -> str:
        # A URL is any string: the message stays one line that every terminal can show.
        url = self.url if self.url.isprintable() else ascii(self.url)
        return f"{url}: {self.found}" if url else self.found


class Stopped(BaseException):  # no error, and nothing may take it for one
    """A signal has ended a run.

    Parameters
    ----------
    number
        Number of the signal.

    Attributes
    ----------
    number
        As above.
    advice
        What was kept, and how to go on.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.advice = "no output was written"


def listed(names: Iterable[str]) -> str:
    """Write the first of some names, and whether there are more: ``a, b, c, d, e, …``."""
    first = list(islice(names, MOST_LISTED + 1))
    return ", ".join(first[:MOST_LISTED]) + (", …" if len(first) > MOST_LISTED else "")


def abridged(text: str, most: int) -> str:
    """Shorten a text to ``most`` characters, of which the last tells that it goes on."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted(count: int, noun: str) -> str:
    """Write a number and what it counts: ``1 link``, ``14 links``."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"
