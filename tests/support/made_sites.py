"""Small labelled sites whose pages have a menu, a trail, and a content container, made for tests."""

import json
import random
from pathlib import Path
from typing import Any

from tests.support.made_sets import write_set

TEST_SITES = ("red", "green", "blue", "gold")
"""Sites of part ``test``: they lend templates."""
TRAIN_SITES = ("lent", "given")
"""Sites of part ``train``: they lend contents."""


def write_made_sites(folder: Path, pages: int = 24, seed: int = 3) -> Path:
    """Write sites with ``sites.json``; on each page a share is menu, and the words of the content differ.

    The content container of test sites is ``div.c``, with a part ``p.own`` inside it that is template. On
    training sites it is an ``h1`` and a ``main``.
    """
    chance = random.Random(seed)
    vocabulary = ["".join(chance.choices("bcdfghklmnprstaeiou", k=8)) for _ in range(900)]
    listed: list[dict[str, Any]] = []
    for site in (*TEST_SITES, *TRAIN_SITES):
        train = site in TRAIN_SITES
        of_site, gold = [], []
        menu = "".join(f"<li><a href='/{site}/{n}'>{site} menu entry {n}</a></li>" for n in range(30))
        for number in range(pages):
            text = chance.choices(vocabulary, k=90)
            body = "".join(f"<p>{' '.join(text[at : at + 15])}</p>\n" for at in range(0, 90, 15))
            if train:
                shown = f"<h1>Title {text[0]} {text[1]}</h1>\n<main>{body}<script>x()</script></main>"
            else:
                shown = f"<div class=c>{body}<p class=own>Posted by {site}</p></div><div class=c>more</div>"
            html = (
                f"<html><head><title>{text[0]} {text[1]} | {site}</title></head><body>\n<ul>{menu}</ul>\n"
                f"<p>You are here: page {number} of {site}</p>\n{shown}\n"
                f"<p>All rights reserved by the owners of {site}</p>\n</body></html>"
            )
            url = f"https://{site}.example/d/{number}.html"
            of_site.append({"id": str(number), "url": url, "site": site, "html": html})
            gold.append({"id": str(number), "text": " ".join(text), "outside": menu})
        write_set(folder / "sites" / site, of_site, gold)
        listed.append({
            "site": site, "part": "train" if train else "test", "language": "en",
            "content": "h1, main" if train else "div.c", "exclude": [] if train else [".own"],
        })  # fmt: skip
    (folder / "sites" / "sites.json").write_text(json.dumps(listed))
    return folder


def types_set(folder: Path, sites: str, classes: tuple[str, ...]) -> None:
    """Write a set whose gold has types: five pages of each class on each site."""
    pages: list[dict[str, Any]] = []
    gold: list[dict[str, Any]] = []
    for site in sites:
        for label in classes:
            for number in range(5):
                name = f"{site}-{label}-{number}"
                html = f"<ul><li>{site} menu</ul><p>{label} {number} {label}"
                pages.append({"id": name, "url": f"https://{site}/{name}", "site": site, "html": html})
                gold.append({"id": name, "type": label})
    write_set(folder, pages, gold)
