"""pyarrow, which reads and writes Parquet and Arrow; importing this without it raises MissingExtra.

It is large, and an extra: all of the package imports it from here, and only where it is needed.
"""

from __future__ import annotations

from detemplate.errors import MissingExtra

try:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
except ImportError:
    raise MissingExtra("reading or writing Parquet or Arrow", "parquet") from None

__all__ = ["pa", "pq"]
