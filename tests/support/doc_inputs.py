"""The files that the examples of the documents name: made crawls in the kinds of file that users have."""

import json
import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd

from tests.support.warc_fixtures import http, pack, record, warcinfo

_EXAMPLES: Final = Path(__file__).parents[2] / "examples"

_WORDS: Final = tuple(
    re.findall(
        r"\w+",
        "tree river stone cloud lamp paper music ship garden winter market bread letter window corner bridge silver"
        " field morning copper engine valley number forest harbour story summer candle island mirror",
    )
)


class Site(NamedTuple):
    """A made site: its host, what it is about, and the name that its pages' titles end in."""

    host: str
    topic: str
    name: str


SITES: Final = (
    Site("example.org", "suffix array", "The Index"),
    Site("climbing.example.net", "rock climbing", "Walls of San Francisco"),
    Site("music.example.com", "early music", "Old Strings"),
    Site("news.example.edu", "city council", "The Courier"),
    Site("cooking.example.info", "sour dough", "Loaf"),
)
"""Sites of the crawl; their pages link to each other."""

PAGES: Final = 24
"""Pages of each site of the crawl."""

Pages = list[tuple[str, str]]


def make_inputs(folder: Path) -> None:
    """Write all files that the documents' examples read."""
    crawl = [page for site in SITES for page in _site(site, PAGES)]
    later = [page for site in SITES for page in _site(site, PAGES + 8)[PAGES:]]
    for name, pages in (("crawl", crawl), ("new", later), ("more", later)):
        _write_warc(folder / f"{name}.warc.gz", pages)
    _write_warc(folder / "monday.warc.gz", crawl[::2])
    _write_warc(folder / "tuesday.warc.gz", crawl[1::2])
    for name, pages in (("pages", crawl), ("new-pages", later), ("more", later)):
        rows = [{"url": url, "html": html} for url, html in pages]
        _write_lines(folder / f"{name}.jsonl", rows)
    table = pd.DataFrame(crawl, columns=["url", "html"])
    table.to_parquet(folder / "pages.parquet")
    table.set_axis(["address", "markup"], axis=1).assign(number=range(len(crawl))).to_csv(
        folder / "export.csv", index=False
    )
    items = [
        {"id": number, "page": {"link": url, "source": html}} for number, (url, html) in enumerate(crawl)
    ]
    _write_lines(folder / "items.jsonl", items)
    (folder / "site").mkdir()
    for number, (_, html) in enumerate(_site(SITES[0], PAGES)):
        (folder / "site" / f"{number}.html").write_text(html, encoding="utf-8")
    for name in ("page", "one-page"):
        (folder / f"{name}.html").write_text(crawl[5][1], encoding="utf-8")
    (folder / "parts").mkdir()
    for site in SITES[:3]:
        _write_warc(folder / "parts" / f"{site.host}.warc.gz", _site(site, PAGES))
    (folder / "warc.paths").write_text(
        "".join(f"parts/{site.host}.warc.gz\n" for site in SITES[:3]), encoding="utf-8"
    )
    _write_warc(folder / "shop.warc.gz", _shop(PAGES))
    _write_warc(folder / "forum.warc.gz", _forum(PAGES))
    shutil.copytree(_EXAMPLES, folder / "examples")


def crawl_pages() -> Pages:
    """Give the pages of ``crawl.warc.gz`` as pairs of URL and markup."""
    return [page for site in SITES for page in _site(site, PAGES)]


def _site(site: Site, count: int) -> Pages:
    return [(f"https://{site.host}{_path(number)}", _article(site, number)) for number in range(count)]


def _path(number: int) -> str:
    return ("/", "/page")[number] if number < 2 else f"/{number}.html"


def _article(site: Site, number: int) -> str:
    """Make a page: a menu, an article that names the site's topic and links to other sites, and a footer."""
    draw = random.Random(f"{site.host} {number}")
    head = f"{_words(draw, 4).capitalize()} {number}"
    others = [other for other in SITES if other is not site]
    body = "".join(
        f"<h2>{_words(draw, 3).capitalize()}</h2><p>{_sentences(draw, 3)}</p>"
        f"<p>{_sentences(draw, 1)} Of {site.topic}: {_sentences(draw, 2)}</p>"
        for _ in range(draw.randint(1, 3))
    )
    # Every page cites the same two pages of other sites, side by side, and one drawn page.
    cited = "".join(
        f"<li><a href='https://{other.host}{_path(to)}'>{other.topic}, {_words(draw, 2)}</a> on {SITES[0].topic}</li>"
        for other, to in ((others[0], 0), (others[0], 1), (draw.choice(others), draw.randrange(PAGES)))
    )
    head_data = f"<meta name=author content='Ann Lee'><meta property='article:published_time' content='2026-03-{number + 1:02}'>"
    return _frame(
        site, head, f"<article><h1>{head}</h1>{body}<ul class=cited>{cited}</ul></article>", head_data
    )


def _shop(count: int) -> Pages:
    """Make product pages whose places hold a value of their own on each page."""
    site = Site("shop.example.com", "lamps", "Lamp Shop")
    pages = []
    for number in range(count):
        draw = random.Random(number)
        name = f"{_words(draw, 2).title()} {number}"
        values = "".join(
            f"<tr><th>{label}</th><td>{value}</td></tr>"
            for label, value in (
                ("Price", f"{draw.randint(10, 90)}.50 EUR"),
                ("Number", f"LX-{draw.randint(1000, 9999)}"),
                ("In stock", draw.choice(("yes", "no"))),
            )
        )
        body = f"<main><h1>{name}</h1><table>{values}</table><p>{_sentences(draw, 2)}</p></main>"
        pages.append((f"https://{site.host}/lamp/{number}", _frame(site, name, body)))
    return pages


def _forum(count: int) -> Pages:
    """Make threads of short posts."""
    site = Site("forum.example.net", "ships", "Ship Talk")
    pages = []
    for number in range(count):
        draw = random.Random(number)
        posts = "".join(
            f"<div class=post><b class=user>{draw.choice(('ada', 'bo', 'cy'))}</b> <a href=/profile>Profile</a>"
            f"<p>{_sentences(draw, draw.randint(1, 3))}</p><a href=/reply>Reply</a></div>"
            for _ in range(draw.randint(2, 6))
        )
        title = f"{_words(draw, 4).capitalize()}?"
        pages.append(
            (
                f"https://{site.host}/thread/{number}",
                _frame(site, title, f"<main><h1>{title}</h1>{posts}</main>"),
            )
        )
    return pages


def _frame(site: Site, title: str, body: str, head: str = "") -> str:
    own = random.Random(site.host)
    menu = "".join(f'<li><a href="{_path(to)}">{_words(own, 2)}</a></li>' for to in range(8))
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title} | {site.name}</title>{head}</head><body>"
        f"<header><b>{site.name}</b> Pages about {site.topic}s</header><nav><ul>{menu}</ul></nav>{body}"
        f"<aside><h3>About us</h3><p>{_sentences(own, 2)}</p></aside>"
        f"<footer><p>© {site.name}, all rights reserved. {_sentences(own, 1)}</p></footer></body></html>"
    )


def _words(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(_WORDS, k=count))


def _sentences(draw: random.Random, count: int) -> str:
    return " ".join(f"The {_words(draw, draw.randint(6, 14))}." for _ in range(count))


def _write_warc(path: Path, pages: Pages) -> None:
    records = [record(http(html.encode()), url=url) for url, html in pages]
    path.write_bytes(pack([warcinfo(), *records], ".gz"))


def _write_lines(path: Path, rows: Sequence[object]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
