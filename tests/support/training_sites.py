"""Small sites on disk, for training."""

import json
import random
from pathlib import Path

from detemplate.io.sources.base import Source
from detemplate.io.sources.open import open_sources

WORDS = [
    "tree", "river", "stone", "cloud", "lamp", "paper", "music", "ship", "garden", "winter", "market",
    "bread", "letter", "window",
]  # fmt: skip


def words(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(WORDS, k=count))


def inline(draw: random.Random, number: int) -> str:
    """Make texts of all lengths."""
    return " and ".join(f"<em>{words(draw, length)} {number}</em>" for length in (4, 5, 6, 8, 10, 13, 16, 20))


def site_records(site: str, pages: int, seed: int = 0) -> list[dict[str, str]]:
    """Make the pages of one site: frame and sidebar as everywhere on it, articles of their own."""
    own = random.Random(f"{site} {seed}")
    menu = "".join(f'<li><a href="/{word}">{word} of {site}</a></li>' for word in own.sample(WORDS, 8))
    side = f"<aside><h3>{words(own, 3)}</h3><ul>{menu}</ul><p>{words(own, 30)} {inline(own, 0)}</p></aside>"
    records = []
    for number in range(pages):
        draw = random.Random(f"{site} {seed} {number}")
        body = "".join(
            f"<section><h2>{words(draw, 4)} {number}</h2><p>{words(draw, 60)} {number}</p>"
            f"<p>{inline(draw, number)}</p>"
            f"<p>{words(draw, 90)} <a href='http://other.org/{number}'>{words(draw, 2)}</a></p></section>"
            for _ in range(draw.randint(1, 4))
        )
        html = (
            f"<html><head><title>{words(draw, 3)}</title></head><body><nav><ul>{menu}</ul></nav>"
            f"<main><h1>Title {number} of {words(draw, 2)}</h1>{body}</main>{side}"
            f"<footer><p>Copyright {site}, all rights reserved, {'terms and ' * 12}</p></footer></body></html>"
        )
        records.append({"url": f"http://{site}/{number}.html", "html": html, "site": site})
    return records


def write_jsonl(path: Path, records: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def source_of(path: str) -> Source:
    return open_sources([path])
