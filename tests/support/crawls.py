"""Made sites for crawls, and what is in the WARC files that crawls write."""

import json
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from detemplate.cli import main


def site(pages: int, *, links: int = 3) -> dict[str, str]:
    """Make a site: every page has a menu and a footer, and links to some others."""
    menu = "<nav><a href='/'>Home of the site</a> <a href='/1.html'>First of all</a> <a href='/2.html'>Second</a></nav>"
    made = {}

    def path(number: int) -> str:
        return f"/{number % pages}.html" if number % pages else "/"

    for number in range(pages):
        others = "".join(
            f"<p>See also <a href='{path(number * links + step)}'>number {number * links + step}</a>"
            for step in range(1, links + 1)
        )
        text = " ".join(f"word{number * 7 + step}" for step in range(40))
        made[path(number)] = (
            f"<html><head><title>Page {number}</title></head><body>{menu}<main><h1>Page {number}</h1><p>{text}.</p>{others}"
            "</main><footer>All rights reserved by nobody at all</footer></body></html>"
        )
    return made


def records(path: Path) -> list[tuple[str, str, str, bytes]]:
    """Read a WARC file with warcio, which checks the digests: type, URL, status and decoded body of its records."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            status = record.http_headers.get_statuscode() if record.http_headers else ""
            body = record.content_stream().read()
            found.append(
                (record.rec_type, record.rec_headers.get_header("WARC-Target-URI") or "", status, body)
            )
    return found


def answers(path: Path) -> dict[str, bytes]:
    """Give the bodies of the pages in a WARC file, by URL; that no URL is there twice is checked."""
    pages = [
        (url, body) for kind, url, status, body in records(path) if kind == "response" and status == "200"
    ]
    pages = [page for page in pages if not page[0].endswith("/robots.txt")]
    assert len(dict(pages)) == len(pages)
    return dict(pages)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def cleaned_again(warc: Path) -> list[dict[str, Any]]:
    """Clean a WARC file in one pass."""
    output = warc.with_name("again.jsonl")
    assert main(["clean", str(warc), "--stream", "--workers", "0", "-q", "-o", str(output)]) == 0
    return rows(output)
