"""The step of datatrove's pipelines, in real pipelines."""

import json

import pytest
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from detemplate import Cleaner
from detemplate.datatrove import DetemplateFilter
from detemplate.errors import UserError

PAGES = [(f"http://a.example/{n}", f"<nav>Home and more</nav><p>Page number {n}.</p>") for n in range(8)]


@pytest.fixture
def store(tmp_path):
    with Cleaner("segments", streaming=False, min_df=3) as cleaner:
        for page in PAGES:
            cleaner.learn(page)
        cleaner.save(tmp_path / "templates.db")
    return tmp_path / "templates.db"


def lines(folder):
    return [json.loads(line) for file in sorted(folder.glob("*")) for line in file.read_text().splitlines()]


def test_a_pipeline(store, tmp_path):
    given = [*PAGES, ("http://a.example/empty", ""), ("http://a.example/nav", "<nav>Home and more</nav>")]
    (tmp_path / "in").mkdir()
    for part in range(2):
        rows = [json.dumps({"text": html or " ", "id": url, "url": url}) for url, html in given[part::2]]
        (tmp_path / "in" / f"{part}.jsonl").write_text("\n".join(rows))
    lost = JsonlWriter(str(tmp_path / "lost"), compression=None)
    steps = [
        JsonlReader(str(tmp_path / "in")),
        DetemplateFilter(store, exclusion_writer=lost),
        JsonlWriter(str(tmp_path / "out"), compression=None),
    ]
    LocalPipelineExecutor(steps, tasks=2, workers=1, logging_dir=str(tmp_path / "logs")).run()
    kept = lines(tmp_path / "out")
    assert {row["text"] for row in kept} == {f"Page number {n}." for n in range(8)}
    dropped = {row["id"]: row["metadata"]["filter_reason"] for row in lines(tmp_path / "lost")}
    assert dropped == {"http://a.example/empty": "empty", "http://a.example/nav": "no text"}


def test_the_store_is_only_read_and_options_matter(store):
    before = store.read_bytes()
    document = Document("<nav>Home and more</nav><h1>New</h1>", "1", metadata={"address": PAGES[0][0]})
    assert DetemplateFilter(store, format="markdown", url_key="address").filter(document) is True
    assert document.text == "# New"
    assert 0 < document.metadata["template_share"] < 1
    other = Document("<nav>Home and more</nav><h1>New</h1>", "1", metadata={"url": "http://b.example/"})
    assert DetemplateFilter(store).filter(other) is True
    assert other.text.startswith("Home and more")
    large = Document("<p>a<b>b</b></p>" * 400_000, "2", metadata={"url": PAGES[0][0]})
    assert DetemplateFilter(store, max_page_memory=64 << 20).filter(large) == (False, "too much memory")
    assert DetemplateFilter(store, max_page_seconds=1e-9).filter(other) == (False, "too slow")
    assert store.read_bytes() == before


def test_no_store(tmp_path, store):
    with pytest.raises(UserError, match="nothing"):
        DetemplateFilter(tmp_path / "nothing.db")
    with pytest.raises(UserError, match="unknown format"):
        DetemplateFilter(store, format="pdf")
