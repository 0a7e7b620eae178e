"""Cleaning a DataFrame: what ``detemplate.clean`` gives of the same rows."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

import detemplate
from detemplate.errors import UserError
from detemplate.spark import clean
from tests.support.spark_inputs import spark_pages


def rows_of():
    """Make rows: pages of two sites, one without markup, one that is none, one twice."""
    pages = [*spark_pages()[:80], ("http://large.example/none", None), ("http://large.example/bad", "")]
    return [
        {
            "page_url": url,
            "body": None if html is None else html.encode(),
            "title": f"given {number}",
            "day": date(2024, 1, 1 + number % 30),
            "seen": datetime(2024, 1, 1, number % 24, tzinfo=UTC),
            "price": Decimal(f"{number}.50"),
            "tags": [f"t{number}", None],
        }
        for number, (url, html) in enumerate(pages)
    ]


def test_the_rows_are_those_of_clean(spark, tmp_path):
    rows = rows_of()
    schema = "page_url string, body binary, title string, day date, seen timestamp, price decimal(8,2), tags array<string>"
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], schema).repartitionByRange(
        3, "price"
    )
    done = clean(frame, "segments", url="page_url", min_df=4, format="markdown", work=str(tmp_path / "work"))
    assert done.columns == [
        "page_url", "body", "source_title", "day", "seen", "price", "tags", "markdown", "title", "template_share",
        "method", "error",
    ]  # fmt: skip
    assert dict(done.dtypes)["price"] == "decimal(8,2)"
    given = spark.createDataFrame([tuple(row.values()) for row in rows], schema)
    assert done.select("page_url", "seen").exceptAll(given.select("page_url", "seen")).count() == 0
    expected = detemplate.clean(
        rows, "segments", url="page_url", html="body", min_df=4, format="markdown", metadata=False
    )
    found = sorted((row.asDict() for row in done.collect()), key=lambda row: row["price"])
    assert len(found) == len(rows)
    assert [row["error"] for row in found[-2:]] == ["empty: no markup", expected[-1]["error"]]
    for row, own in zip(found, expected, strict=True):
        for name in [
            "page_url",
            "source_title",
            "day",
            "price",
            "tags",
            "markdown",
            "title",
            "template_share",
            "error",
        ]:
            assert row[name] == own[name], name
    with pytest.raises(UserError, match="exists; name a new folder"):
        clean(frame, "segments", work=str(tmp_path / "work"))


def test_what_is_no_table_of_pages(spark, tmp_path):
    frame = spark.createDataFrame([("a", 1)], "url string, n int")
    with pytest.raises(UserError, match="no column is known to hold markup"):
        clean(frame)
    with pytest.raises(UserError, match="there is no column 'x'"):
        clean(frame, html="x")
    with pytest.raises(UserError, match="unknown format"):
        clean(frame, format="pdf")
    with pytest.raises(UserError, match="unknown method"):
        clean(frame, "none", html="url")
