"""Tables of other libraries, as records to clean and with the columns that cleaning adds.

No library is imported here unless the table is one of its own, or it reads that library's tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol
from uuid import uuid4

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

NUMBERS: Final = {"template_share"}
"""Added columns that hold numbers; all others hold text."""

_FRAMES: Final = {"pandas", "polars", "pyarrow"}  # libraries whose frames narwhals reads and extends
_LIBRARIES: Final = {*_FRAMES, "duckdb", "datasets"}  # libraries whose other objects are refused by name


Added = dict[str, list[Any]]
"""Values of the added columns, one a row."""


class Table(Protocol):
    """A table that can be read more than once."""

    @property
    def names(self) -> Sequence[Any]:
        """Its column names."""

    def __len__(self) -> int:
        """Return the number of its rows."""

    def rows(self, names: Sequence[Any]) -> Iterator[Mapping[Any, Any]]:
        """Yield its rows: values by name, of at least these columns."""

    def extended(self, renamed: Mapping[str, str], added: Added, kept: Sequence[bool]) -> object:
        """Return a table of the same kind: the kept rows, with columns renamed and added."""


class _DictTable:
    """A dict of columns."""

    def __init__(self, columns: Mapping[Any, Any]) -> None:
        lengths = set()
        for name, column in columns.items():
            if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
                raise UserError(
                    f"a dict is read as columns, lists of one length, and column {name!r} is "
                    f"{type(column).__name__}: give pairs of URL and markup as dict.items(), "
                    "and one page to detemplate.extract"
                )
            lengths.add(len(column))
        if len(lengths) > 1:
            raise UserError(f"the dict's columns differ in length: {', '.join(map(str, sorted(lengths)))}")
        self.names = list(columns)
        self._columns = columns
        self._length = next(iter(lengths), 0)

    def __len__(self) -> int:
        return self._length

    def rows(self, names: Sequence[Any]) -> Iterator[Mapping[Any, Any]]:
        for values in zip(*map(self._columns.__getitem__, names), strict=True):
            yield dict(zip(names, values, strict=True))

    def extended(self, renamed: Mapping[str, str], added: Added, kept: Sequence[bool]) -> dict[Any, Any]:
        columns = {renamed.get(name, name): column for name, column in self._columns.items()} | added
        if all(kept):
            return columns
        return {
            name: [value for value, keep in zip(column, kept, strict=True) if keep]
            for name, column in columns.items()
        }


class _FrameTable:
    """A frame of pandas or polars, or an Arrow table, by way of narwhals."""

    def __init__(self, frame: Any) -> None:  # noqa: ANN401  # each library has its own
        import narwhals.stable.v2 as nw
        from narwhals.exceptions import NarwhalsError

        try:
            self._frame = nw.from_native(frame, eager_only=True)
            self.names = self._frame.columns
        except (TypeError, NarwhalsError) as error:
            raise UserError(f"the {_kind(frame)} cannot be read: {' '.join(str(error).split())}") from error
        if any(isinstance(name, tuple) for name in self.names):
            raise UserError(f"the columns of the {_kind(frame)} have names of several levels: flatten them")

    def __len__(self) -> int:
        return len(self._frame)

    def rows(self, names: Sequence[Any]) -> Iterator[Mapping[Any, Any]]:
        for values in self._frame.select(*names).iter_rows():
            yield dict(zip(names, values, strict=True))

    def extended(self, renamed: Mapping[str, str], added: Added, kept: Sequence[bool]) -> Any:  # noqa: ANN401
        import narwhals.stable.v2 as nw

        backend = self._frame.implementation
        frame = self._frame.rename(dict(renamed)).with_columns(
            *(
                nw.new_series(name, values, nw.Float64 if name in NUMBERS else nw.String, backend=backend)
                for name, values in added.items()
            )
        )
        return (frame if all(kept) else frame.filter(list(kept))).to_native()


class BatchTable(_FrameTable):
    """An Arrow record batch."""

    def __init__(self, batch: Any) -> None:  # noqa: ANN401  # pyarrow has no types
        from detemplate.files.arrow import pa

        super().__init__(pa.Table.from_batches([batch]))

    def extended(self, renamed: Mapping[str, str], added: Added, kept: Sequence[bool]) -> Any:  # noqa: ANN401
        """See :class:`Table`."""
        from detemplate.files.arrow import pa

        table = super().extended(renamed, added, kept)
        columns = [column.combine_chunks() for column in table.columns]
        return pa.RecordBatch.from_arrays(columns, schema=table.schema)


class _RelationTable:
    """A DuckDB relation. It is run once; what is given back belongs to its connection."""

    def __init__(self, relation: Any) -> None:  # noqa: ANN401  # DuckDB's types differ by version
        if not hasattr(relation, "materialize"):
            raise UserError("DuckDB's relations need duckdb 2.0 or newer; or give relation.to_arrow_table()")
        self._rows = relation.materialize()
        self.names = list(relation.columns)
        if len(set(self.names)) < len(self.names):
            raise UserError(f"two columns of the relation have one name: {', '.join(self.names)}")

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, names: Sequence[Any]) -> Iterator[Mapping[Any, Any]]:
        return _FrameTable(self._rows.project(", ".join(map(_quoted, names))).to_arrow_table()).rows(names)

    def extended(self, renamed: Mapping[str, str], added: Added, kept: Sequence[bool]) -> Any:  # noqa: ANN401
        from detemplate.files.arrow import pa

        fields = [(name, pa.float64() if name in NUMBERS else pa.string()) for name in added]
        # DuckDB finds the added columns by the name of this variable.
        detemplate_added_columns = pa.table(  # noqa: F841
            {**added, "detemplate_kept": list(kept)}, pa.schema([*fields, ("detemplate_kept", pa.bool_())])
        )
        view = f"rows_{uuid4().hex}"  # a table of the same name would hide it
        selected = [f"{view}.{_quoted(name)} AS {_quoted(renamed.get(name, name))}" for name in self.names]
        selected += [f"detemplate_added_columns.{_quoted(name)}" for name in added]
        return self._rows.query(
            view,
            f"SELECT {', '.join(selected)} "
            f"FROM {view} POSITIONAL JOIN detemplate_added_columns WHERE detemplate_kept",
        )


class _DatasetTable:
    """A dataset of Hugging Face's ``datasets`` that is not a stream."""

    def __init__(self, dataset: Any) -> None:  # noqa: ANN401  # the library is optional
        self._dataset = dataset
        self.names = list(dataset.column_names)

    def __len__(self) -> int:
        return len(self._dataset)

    def rows(self, names: Sequence[Any]) -> Iterator[Mapping[Any, Any]]:
        return iter(self._dataset.with_format(None).select_columns(list(names)))

    def extended(self, renamed: Mapping[str, str], added: Added, kept: Sequence[bool]) -> Any:  # noqa: ANN401
        from datasets import Value

        dataset = self._dataset.with_format(None)  # formatted columns could get other types
        if renamed:
            dataset = dataset.rename_columns(dict(renamed))
        for name, values in added.items():
            dataset = dataset.add_column(
                name, values, feature=Value("float64" if name in NUMBERS else "string")
            )
        if not all(kept):
            dataset = dataset.select([row for row, keep in enumerate(kept) if keep])
        given = self._dataset.format  # one of some columns becomes one of these and the added ones
        columns = None
        if given["columns"] != self._dataset.column_names:
            columns = [*(renamed.get(name, name) for name in given["columns"]), *added]
        return dataset.with_format(
            given["type"], columns, given["output_all_columns"], **given["format_kwargs"]
        )


_KINDS: Final[tuple[tuple[str, str, Callable[[Any], Table]], ...]] = (
    ("duckdb", "DuckDBPyRelation", _RelationTable),
    ("datasets", "Dataset", _DatasetTable),
    ("pyarrow", "RecordBatch", BatchTable),
)
"""Libraries, their classes of tables, and what reads them."""


def table_of(given: object) -> Table | None:
    """Read an object as a table; None for what is no table but may be iterated: pages, or rows.

    Raises UserError: for tables, and parts of tables, that cannot be read.
    """
    for library, name, kind in _KINDS:
        if _is(given, library, name):
            return kind(given)
    libraries = {base.__module__.partition(".")[0] for base in type(given).__mro__}
    if libraries & _FRAMES and any(base.__name__ in {"DataFrame", "Table"} for base in type(given).__mro__):
        return _FrameTable(given)
    if libraries & _LIBRARIES:
        whole = [name for name in ("collect", "to_table") if hasattr(given, name)]
        hint = f"call its {whole[0]}() first" if whole else "give a table of columns"
        if isinstance(given, Mapping):
            hint = f"give one of its splits: {', '.join(map(repr, given))}"
        raise UserError(f"the {_kind(given)} is no table that can be cleaned: {hint}")
    if isinstance(given, Mapping):
        return _DictTable(given)
    if hasattr(given, "__arrow_c_stream__"):
        from detemplate.files.arrow import pa

        try:
            return _FrameTable(pa.table(given))
        except (pa.ArrowException, TypeError) as error:
            raise UserError(f"the {_kind(given)} is no table: {' '.join(str(error).split())}") from error
    return None


def is_reader(given: object) -> bool:
    """Return whether this is an Arrow record batch reader, which can be read only once."""
    return _is(given, "pyarrow", "RecordBatchReader")


def is_dataset_stream(given: object) -> bool:
    """Return whether this is an iterable dataset of Hugging Face's ``datasets``."""
    return _is(given, "datasets", "IterableDataset")


def _is(given: object, library: str, name: str) -> bool:
    """Return whether an object is of a library's class; a library that is not loaded has no objects."""
    kind = getattr(sys.modules.get(library), name, None)
    return isinstance(kind, type) and isinstance(given, kind)


def _kind(given: object) -> str:
    return f"{type(given).__module__.partition('.')[0]} {type(given).__name__}"


def _quoted(name: object) -> str:
    return '"' + str(name).replace('"', '""') + '"'
