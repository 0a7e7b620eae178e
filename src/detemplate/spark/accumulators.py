"""Accumulators: what tasks tell the driver. Spark adds each task's value once, if the task ends well."""

from __future__ import annotations

from typing import Any

from pyspark.accumulators import AccumulatorParam


class Sums(AccumulatorParam[dict[str, int]]):
    """Adds up counts by name."""

    def zero(self, value: dict[str, int]) -> dict[str, int]:  # noqa: ARG002
        """Return no counts."""
        return {}

    def addInPlace(self, value1: dict[str, int], value2: dict[str, int]) -> dict[str, int]:  # noqa: N802
        """Add counts."""
        for name, count in value2.items():
            value1[name] = value1.get(name, 0) + count
        return value1


class Rows(AccumulatorParam[list[dict[str, Any]]]):
    """Collects rows."""

    def zero(self, value: list[dict[str, Any]]) -> list[dict[str, Any]]:  # noqa: ARG002
        """Return no rows."""
        return []

    def addInPlace(  # noqa: N802
        self, value1: list[dict[str, Any]], value2: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Add rows."""
        value1 += value2
        return value1


class Numbered(AccumulatorParam[dict[int, Any]]):
    """Collects values by number."""

    def zero(self, value: dict[int, Any]) -> dict[int, Any]:  # noqa: ARG002
        """Return no values."""
        return {}

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:  # noqa: N802
        """Add values."""
        value1.update(value2)
        return value1
