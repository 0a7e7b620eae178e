"""Rows as the sinks get them."""

from pathlib import Path
from typing import Any

from detemplate.io.record import Record, SourceRef
from detemplate.io.sinks.open import open_sink


def row(number: int = 1, text_format: str = "text", **carried: object) -> dict[str, Any]:
    return {
        "url": f"http://e.org/{number}",
        "site": "e.org",
        "title": f"Title {number}",
        text_format: f"Text é {number}\n",
        "template_share": 0.25,
        "segments": 8,
        "template_segments": 2,
        "method": "sandwich",
        **carried,
    }


def record(url: str = "http://e.org/1", **source: Any) -> Record:
    return Record(url, "<p>", source=SourceRef("in.warc", **source))


REMOVED = [
    {
        "text": "Home",
        "score": 0.9,
        "reason": "recurs",
        "causes": [{"cause": "repeated", "weight": 1.0, "pages": 3}],
    }
]
REMOVED_IN_TABLES = [{**REMOVED[0], "causes": '[{"cause": "repeated", "weight": 1.0, "pages": 3}]'}]
"""The same in Parquet and Arrow, where causes are JSON: each has values of its own."""
EVIL = "a\ud800b"


def names(directory: Path | str = ".") -> list[str]:
    return sorted(path.name for path in Path(directory).iterdir())


def written(
    path: Path | str, *rows: dict[str, Any], text_format: str = "text", kind: str | None = None, **source: Any
) -> Path:
    """Write rows, of records with this source, into a file of the kind that its name says."""
    with open_sink(str(path), format=text_format, kind=kind) as sink:
        for each in rows:
            sink.write(each, record(**source))
    return Path(path)
