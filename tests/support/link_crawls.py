"""Crawls made of a few rows, as tables and as Python objects to count over."""

from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from hypothesis import strategies as st

from detemplate.links.crawl import Crawl

TABLES = {
    "pages": "page_key BIGINT, url VARCHAR, site VARCHAR, title VARCHAR, page_shingle BIGINT, text VARCHAR,"
    " pagelets INTEGER, links INTEGER",
    "pagelets": "page_key BIGINT, pagelet_serial INTEGER, pagelet_shingle BIGINT, links INTEGER,"
    ' start INTEGER, "stop" INTEGER, text VARCHAR',
    "links": "src_page_key BIGINT, src_pagelet_serial INTEGER, link_serial INTEGER, dest_page_key BIGINT,"
    " dest_url VARCHAR, anchor VARCHAR, context VARCHAR",
    "template_pagelets": "template_id BIGINT, page_key BIGINT, pagelet_serial INTEGER",
}


@dataclass
class Part:
    """A pagelet: its text, and the URLs it links to; every link's context is the text's start."""

    text: str
    links: list[str] = field(default_factory=list)

    @property
    def context(self) -> str:
        return self.text[:40]


@dataclass
class Made:
    """A page. ``loose`` links stand in no pagelet."""

    url: str
    parts: list[Part] = field(default_factory=list)
    title: str = ""
    loose: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(part.text for part in self.parts)


def keys(pages: list[Made]) -> dict[str, int]:
    """Give every URL a key, in no telling order; some are negative."""
    urls = [page.url for page in pages]
    for page in pages:
        urls += [url for part in page.parts for url in part.links] + page.loose
    return {url: (number * 7919 + 13) % 10007 - 500 for number, url in enumerate(dict.fromkeys(urls))}


def shingle(text: str, known: dict[str, int]) -> int | None:
    return known.setdefault(text, 1000 + len(known)) if text else None


def fill(
    connection: duckdb.DuckDBPyConnection, pages: list[Made], stored: list[tuple[str, int]] | None = None
) -> None:
    """Make a crawl's tables."""
    key, known = keys(pages), {}
    rows = {name: [] for name in TABLES}
    for page in pages:
        number = key[page.url]
        count = len(page.loose) + sum(len(part.links) for part in page.parts)
        host = page.url.split("/")[2]
        rows["pages"].append(
            (number, page.url, host, page.title, shingle(page.text, known), page.text, len(page.parts), count)
        )
        targets = [(-1, url, "") for url in page.loose]
        for serial, part in enumerate(page.parts):
            rows["pagelets"].append(
                (number, serial, shingle(part.text, known), len(part.links), 0, 0, part.text)
            )
            targets += [(serial, url, part.context) for url in part.links]
        for place, (serial, url, context) in enumerate(targets):
            rows["links"].append((number, serial, place, key[url], url, "", context))
    for url, serial in stored or []:
        rows["template_pagelets"].append((1, key[url], serial))
    for name, columns in TABLES.items():
        if name != "template_pagelets" or stored is not None:
            connection.execute(f"CREATE TABLE {name} ({columns})")
            if rows[name]:
                marks = ", ".join("?" * len(rows[name][0]))
                values = ", ".join(f"({marks})" for _ in rows[name])
                connection.execute(
                    f"INSERT INTO {name} VALUES {values}", [cell for row in rows[name] for cell in row]
                )


def in_memory(pages: list[Made], stored: list[tuple[str, int]] | None = None) -> Crawl:
    """Make a crawl that is nowhere but in memory."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    fill(connection, pages, stored)
    return Crawl(connection)


def write(path: Path, pages: list[Made], stored: list[tuple[str, int]] | None = None) -> Path:
    """Write a crawl as a directory of Parquet directories."""
    with duckdb.connect() as connection:
        fill(connection, pages, stored)
        for name in [name for name in TABLES if name != "template_pagelets" or stored is not None]:
            (path / name).mkdir(parents=True)
            file = str(path / name / "part-0.parquet").replace("'", "''")
            connection.execute(f"COPY {name} TO '{file}' (FORMAT parquet)")
    return path


def sisters() -> list[Made]:
    """Make the paper's example: sister sites with one navigation bar, and a few good pages.

    Each sister's bar names Java and links to all sisters. One of them is about Java; so are two pages
    elsewhere that hubs link to.
    """
    topics = ["java", "sap", "oracle", "crm", "erp", "storage", "wireless", "networking"]
    addresses = [f"http://{topic}.toolbox.example/" for topic in topics]
    bar = Part("Toolbox sites: Java SAP Oracle CRM ERP Storage Wireless Networking", addresses)
    pages = [
        Made(url, [bar, Part(f"News and articles about {topic}")], f"Toolbox {topic}")
        for topic, url in zip(topics, addresses, strict=True)
    ]
    good = ["http://sun.example/java", "http://world.example/java", addresses[0]]
    pages += [Made(url, [Part(f"Everything on Java programming at {url}")], "Java") for url in good[:2]]
    pages += [
        Made(
            f"http://hub{number}.example/links",
            [Part(f"Java resources, collection {number}", good), Part(f"My cat and other pets {number}")],
        )
        for number in range(3)
    ]
    return pages


_WORDS = st.sampled_from(["java", "Java", "tea", "javas", "cup", "java,"])
_URLS = [f"http://{host}.example/{place}" for host in "abcd" for place in range(3)]
_ELSEWHERE = ["http://e.example/", "http://a.example/far"]
_TEXTS = st.lists(_WORDS, max_size=4).map(" ".join)
_PARTS = st.builds(Part, _TEXTS, st.lists(st.sampled_from(_URLS + _ELSEWHERE), max_size=5))


@st.composite
def crawls(draw: st.DrawFn) -> list[Made]:
    """Draw a crawl: few texts, so that pagelets and pages repeat; some links lead out of it."""
    urls = draw(st.lists(st.sampled_from(_URLS), min_size=1, max_size=8, unique=True))
    return [
        Made(
            url,
            draw(st.lists(_PARTS, max_size=3)),
            draw(st.sampled_from(["", "Java", "A cup"])),
            draw(st.lists(st.sampled_from(_URLS), max_size=1)),
        )
        for url in urls
    ]
