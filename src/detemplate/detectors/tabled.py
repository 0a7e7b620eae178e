"""Base class of detectors whose whole state is one recurrence table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from detemplate.algorithms.recurrence import merged, recurrence_table
from detemplate.detectors.base import Options, SplitDetector
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table

_VERSION: Final = 1

_COLUMNS: Final = {"keys": "<u8", "df": "<i4", "last": "<i4"}
"""Columns of the table in a state: key, document frequency, page of the last occurrence."""


class TableOptions(Options):
    """Options that say when a table's entries expire."""

    __slots__ = ()

    def lifetimes(self) -> npt.NDArray[np.int64]:
        """Lifetimes of entries with document frequency 1, 2, …, in pages since they last occurred.

        -1 is for ever.
        """
        raise NotImplementedError

    @property
    def most(self) -> int:
        """Maximum number of entries."""
        raise NotImplementedError


class TableDetector(SplitDetector):
    """A detector that learns into one :class:`~detemplate.algorithms.recurrence.Table`.

    Parameters
    ----------
    options
        The method's options; None for the defaults.
    """

    options_class: ClassVar[type[Options]]

    def __init__(self, options: TableOptions | None = None) -> None:
        self._options: TableOptions = (
            options if options is not None else cast("TableOptions", self.options_class())
        )
        self._table: Table = recurrence_table(self._options.lifetimes(), self._options.most)

    @property
    def pages(self) -> int:
        """Number of pages learnt; the table's clock."""
        return self._table.pages

    @property
    def nbytes(self) -> int:
        """Memory of the table, in bytes."""
        return self._table.nbytes

    def merge(self, other: Self) -> Self:
        """Merge the two tables, the other's pages after this one's."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        joined._table = merged(self._table, other._table, self._options.lifetimes(), self._options.most)
        return joined

    def to_bytes(self) -> bytes:
        """Return the table (16 bytes an entry) and the options."""
        columns: dict[str, npt.NDArray[Any]] = dict(zip(_COLUMNS, self._table.dump(), strict=True))
        header = {"options": self._options.as_dict(), "pages": self.pages}
        return pack(self.name, _VERSION, header, columns)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore a detector from the bytes of :meth:`to_bytes`."""
        header, arrays = unpack(data, cls.name, _VERSION, _COLUMNS)
        try:
            restored = cls(cast("TableOptions", cls.options_class(**header["options"])))
            pages = int(header["pages"])
            if not 0 <= pages < 2**31:
                raise StateError("the state's table is inconsistent")
            restored._table.load(pages, *(arrays[column] for column in _COLUMNS))
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored
