"""A small folder of labelled sets, made for tests."""

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

LONG_CASE = "The lighthouse keeper counted the ships that passed before the storm came over the bay. " * 6
"""Text of the page of the case."""


def write_set(folder: Path, pages: list[dict[str, Any]], gold: list[dict[str, Any]]) -> None:
    """Write the two files of a labelled set."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in (("pages", pages), ("gold", gold)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))


def page(number: int, site: str, body: str) -> dict[str, Any]:
    """Make the record of a page with a menu and one paragraph."""
    html = f"<html><body><nav>Home About</nav><p>{body}</p></body></html>"
    return {"id": str(number), "url": f"https://{site}/{number}", "site": site, "html": html}


def product(number: int, site: str, stated: dict[str, Any], shown: str) -> dict[str, Any]:
    """Make the record of a page that states a product in JSON-LD and shows a text."""
    script = f"<script type='application/ld+json'>{json.dumps({'@type': 'Product', **stated})}</script>"
    return page(number, site, script + shown)


@pytest.fixture
def labelled_data(tmp_path: Path) -> Path:
    """Make a folder with all sets, their records with the keys of the real ones.

    The pages of the sites of ``wcxb-dev`` are interleaved.
    """
    folder = tmp_path / "data"
    bodies = ["one two", "three four", "five six", "seven eight"]
    mixed = [page(n, site, body) for n, (site, body) in enumerate(zip("abac", bodies, strict=True))]
    write_set(
        folder / "wcxb-dev",
        mixed,
        [
            {
                "id": str(n),
                "type": "article" if n < 3 else "forum",
                "text": body,
                "with": [body],
                "without": ["Home About"],
            }
            for n, body in enumerate(bodies)
        ],
    )
    empty = {"id": "0", "type": "article", "text": "", "comments": "one two"}
    for name in ("cleanportaleval", "dragnet-hosts", "chaos"):
        write_set(folder / name, [page(0, "a", "one two")], [empty])
    plain = {"id": "0", "type": "x", "text": "one two"}
    further = ("records-test", "postlight-test", "magic-forum", "zh-web", "cleaneval", "harvest-forums")
    for name in (*further, "records-train", "postlight-train"):
        write_set(folder / name, [page(0, "a", "one two")], [plain])
    gold = {"id": "0", "type": "news", "text": "", "comments": "one", "related": "two"}
    write_set(folder / "l3s-gn1", [page(0, "a", "one two")], [gold])
    for name in ("daniel-test", "daniel-train"):
        news = [
            {"id": str(n), "type": "news", "lang": lang, "text": bodies[n]}
            for n, lang in enumerate(("zh", "el"))
        ]
        write_set(folder / name, [page(n, "a", bodies[n]) for n in range(2)], news)
    for name in ("swde-booksamillion", "swde-22"):
        label = {"id": "0", "type": "book", "attributes": {"title": ["One Two"], "price": ["$5"], "isbn": []}}
        write_set(folder / name, [page(0, "a", "one two")], [label])
    attributes = {"availability": ["InStock"], "InStock": ["InStock"], "url": "http://a/0", "price": ["two"]}
    shop = {"id": "0", "type": "product", "attributes": attributes}
    write_set(folder / "zyte-product", [page(0, "a", "one two")], [shop])
    for name in ("bananalyzer", "recipes-train"):
        stated = {"id": "0", "type": "recipe", "values": ["one", "two"]}
        write_set(folder / name, [page(0, "a", "one two")], [stated])
    for name in ("blog", "wiki"):
        label = {"id": "1", "type": "x", "text": "three four", "outside": "Home About"}
        write_set(folder / "sites" / name, [page(n, name, bodies[n]) for n in range(3)], [label])
    case = folder / "cases" / "title"
    case.mkdir(parents=True)
    (case / "page.html").write_text(f"<h1>One two</h1><p>{LONG_CASE}</p>")
    (case / "other1.html").write_text(f"<h1>Three four</h1><p>{LONG_CASE[::-1]}</p>")
    checks = [
        {"format": "markdown", "must": ["# One"], "must_not": ["four"], "re": ["^# One two$"]},
        {"count": {"One two": 1}, "not_re": ["two.*two"]},
    ]
    expected = {"url": "http://a.org/p", "checks": checks, "metadata": {"title": ["One two", "One Two"]}}
    (case / "expected.json").write_text(json.dumps(expected))
    sites = [{"site": "blog", "part": "train"}, {"site": "wiki", "part": "test"}]
    (folder / "sites" / "sites.json").write_text(json.dumps(sites))
    return folder
