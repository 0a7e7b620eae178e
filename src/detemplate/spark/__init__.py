"""Cleaning, templates and learning on Spark, for crawls that no machine holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from detemplate.spark.frame import clean

__all__ = ["clean"]


def __getattr__(name: str) -> Any:
    if name != "clean":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from detemplate.spark.frame import clean
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "pyspark":
            raise
        raise MissingExtra("running on Spark", "spark") from error
    return clean
