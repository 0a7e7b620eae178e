"""The option ``--metadata`` of ``detemplate clean``, in every kind of output."""

import json

import pyarrow.parquet as pq
import pytest
import yaml
from fastwarc.warc import ArchiveIterator

from detemplate.io.sinks.out import METADATA
from tests.support.commands import cli, read_rows, write_rows

HTML = (
    "<html lang=de><head><title>Otter {n} | Beispiel</title><meta name=author content='Ann: \"Lee\"'>"
    "<meta property='article:published_time' content='2024-05-3{n}'></head>"
    "<body><h1>Otter {n}</h1><p>Text von Seite {n}.</p></body></html>"
)


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.jsonl"
    records = [
        {"url": f"https://beispiel.example/{n}", "html": HTML.replace("{n}", str(n)), "author": "theirs"}
        for n in range(2)
    ]
    write_rows(path, records)
    return path


def clean(pages, output, *options):
    cli("clean", pages, "--method", "segments", "-q", "-o", output, *options)


def test_json_lines_have_metadata_and_carried_keys_move(pages, tmp_path):
    clean(pages, tmp_path / "out.jsonl")
    row = read_rows(tmp_path / "out.jsonl")[1]
    assert {key: row[key] for key in METADATA} == {
        "title": "Otter 1", "author": 'Ann: "Lee"', "published": "2024-05-31", "modified": None, "language": "de",
        "site_name": "Beispiel", "canonical_url": None, "description": None, "image": None, "page_type": None,
    }  # fmt: skip
    assert row["source_author"] == "theirs"


def test_parquet_has_a_text_column_for_each(pages, tmp_path):
    clean(pages, tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert {str(table.schema.field(key).type) for key in METADATA} == {"string"}
    assert table["published"].to_pylist() == ["2024-05-30", "2024-05-31"]
    assert table["modified"].to_pylist() == [None, None]
    clean(pages, tmp_path / "none.parquet", "--metadata", "none")
    none = pq.read_table(tmp_path / "none.parquet")
    assert "published" not in none.schema.names
    assert none["author"].to_pylist() == ["theirs", "theirs"]


def test_warc_records_tell_them_in_their_header(pages, tmp_path):
    clean(pages, tmp_path / "out.warc")
    with (tmp_path / "out.warc").open("rb") as file:
        *_, last = [
            json.loads(record.headers.get("WARC-Detemplate-Metadata", "null"))
            for record in ArchiveIterator(file)
        ]
    assert (last["title"], last["language"]) == ("Otter 1", "de")


def test_markdown_files_have_front_matter(pages, tmp_path):
    clean(pages, f"{tmp_path}/out/", "--format", "markdown")
    text = (tmp_path / "out" / "beispiel.example" / "1.md").read_text()
    _, block, body = text.split("---\n", 2)
    assert yaml.safe_load(block) == {
        "title": "Otter 1", "url": "https://beispiel.example/1", "author": 'Ann: "Lee"', "published": "2024-05-31",
        "language": "de", "site_name": "Beispiel",
    }  # fmt: skip
    assert body.startswith("\n# Otter 1")
    assert read_rows(tmp_path / "out" / "index.jsonl")[1]["language"] == "de"
    clean(pages, f"{tmp_path}/none/", "--format", "markdown", "--metadata", "none")
    assert (tmp_path / "none" / "beispiel.example" / "1.md").read_text().startswith("# Otter 1")
