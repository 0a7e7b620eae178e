"""What can go wrong, in the two kinds that callers treat differently."""

from __future__ import annotations

import shlex
import sys


class DetemplateError(Exception):
    """Base of every error that this package raises on purpose."""


class UserError(DetemplateError):
    """Something that the user can mend: a missing file, an unknown method, an unwritable output.

    The message is one line that says what is wrong and what to do. The command line prints it
    and exits with code 2.
    """


class MissingExtra(UserError):  # noqa: N818
    """A feature needs an optional dependency; the message names the ``pip install``.

    The command is that of the running interpreter. It works wherever the package came from: pip sees that it
    is installed, and adds the packages of the extra.
    """

    def __init__(self, feature: str, extra: str) -> None:
        pip = shlex.join([sys.executable, "-m", "pip", "install", f"detemplate[{extra}]"])
        super().__init__(f"{feature} needs an extra: {pip}")


class PageError(DetemplateError):
    """One page cannot be processed; the run goes on without it.

    Parameters
    ----------
    reason
        A short name that counters use, for example ``"too large"``.
    detail
        What exactly was found, for a person.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
