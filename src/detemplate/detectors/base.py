"""What every detector is: it learns pages of one site and scores their segments."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """Base of a method's options: a frozen dataclass whose fields say in ``metadata`` what they mean.

    ``check`` raises :class:`~detemplate.errors.UserError` for a value out of range.
    """

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Refuse values that make no sense."""

    def require(self, holds: bool, name: str, wanted: str) -> None:
        """Raise a one-line error naming the option if ``holds`` is false."""
        if not holds:
            raise UserError(f"option {name}={getattr(self, name)!r} is out of range: it must be {wanted}")


class Detector(ABC):
    """Learns the pages of one site and tells which of their segments are template.

    Attributes
    ----------
    name
        The method's name, on the command line and in saved states.
    paper
        Where the method is from.
    summary
        One line on how it works.
    streams
        Whether it can score a page right after learning it, in one pass.
    merges
        Whether two detectors can be merged into what one would have learnt from both's pages.
    ordered
        Whether what it learns depends on the order of the pages.
    needs
        What it needs beside the page: ``"site"`` (other pages of the site), ``"nothing"``.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    summary: ClassVar[str]
    streams: ClassVar[bool] = True
    merges: ClassVar[bool] = True
    ordered: ClassVar[bool] = False
    needs: ClassVar[str] = "site"
    options_class: ClassVar[type[Options]]

    @abstractmethod
    def __init__(self, options: Any = None) -> None: ...  # noqa: ANN401  # each has options of its own

    @classmethod
    @abstractmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> Options:
        """Complete the given options with the defaults for one pass (``streaming``) or two."""

    @property
    @abstractmethod
    def pages(self) -> int:
        """Pages learnt so far."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory that the learnt state holds, in bytes, about."""

    @abstractmethod
    def learn(self, page: Page) -> None:
        """Take a page of the site into account; O(page)."""

    @abstractmethod
    def score(self, page: Page) -> Verdict:
        """Give a page's verdict; the detector does not change."""

    def learn_and_score(self, page: Page) -> Verdict:
        """Learn a page and score it as it arrives, in the order that the method's paper has."""
        self.learn(page)
        return self.score(page)

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Give what one detector would know after this one's pages and then the other's.

        Neither changes. Raises :class:`NotImplementedError` where ``merges`` is false.
        """

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Give everything learnt, and the options, as bytes."""

    @classmethod
    @abstractmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave; raises :class:`~detemplate.detectors.state.StateError`."""
