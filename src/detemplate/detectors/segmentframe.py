"""Columns about segments as a table of pandas, Polars or Arrow."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Final, Literal

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Library = Literal["pandas", "polars", "pyarrow"]
"""A library of tables."""

LIBRARIES: Final[tuple[Library, ...]] = ("pandas", "polars", "pyarrow")
"""The libraries, in the order in which they are looked for."""


def frame_of(columns: Mapping[str, Sequence[object]], library: Library | None) -> Any:  # noqa: ANN401
    """Make a table.

    ``columns``: the columns, of one length.
    ``library``: library of the table; None: the first of :data:`LIBRARIES` that is installed.
    Returns: pandas.DataFrame, polars.DataFrame or pyarrow.Table
    Raises UserError: the library is unknown, or not installed.
    """
    if library is None:
        library = next((each for each in LIBRARIES if importlib.util.find_spec(each)), "pandas")
    if library not in LIBRARIES:
        raise UserError(f"unknown library {library!r} (choose from {', '.join(LIBRARIES)})")
    if importlib.util.find_spec(library) is None:
        raise UserError(f"a table of {library} needs it: pip install {library}")
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=library).to_native()
