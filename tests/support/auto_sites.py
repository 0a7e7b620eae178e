"""Small labelled sites, generated pages and tiny models, for tests of method auto."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import zstandard
from hypothesis import strategies as st

from detemplate.detectors.auto import _surroundings
from detemplate.detectors.auto.model import AutoModel
from detemplate.detectors.auto.stages import CONTEXT, Surroundings, mean_names
from detemplate.features.segment import (
    NAMES as SEGMENT_FEATURES,
    SegmentFeatures,
    Vocabulary,
    segment_features,
)
from detemplate.page.page import Page
from lab.auto.examples import Example
from lab.auto.trees import Tree, grown
from lab.labelled.pages import Gold
from lab.labelled.segmentlabels import label_segments
from tests.support.soup import parsed, soups

NO_WORDS: Final = Vocabulary(np.zeros(0, np.uint64), np.zeros(0, np.float32))
_SYLLABLES: Final = (
    "ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "pha", "kle", "tri", "ost", "und", "ern",
    "ing",
)  # fmt: skip


# Pages that are generated: soup, and what looks more like a site's pages.

_PARTS: Final = (
    "<div>", "</div>", "<div class=a>", "<div class='b c'>", "<section>", "</section>", "<ul>", "</ul>", "<li>", "<p>",
    "<article id=x>", "</article>", "<nav>", "</nav>", "<br>", "<a href=/x>", "</a>", "<h2>", "</h2>", "<table><tr><td>", "<b>",
    "Home", "one two", "three four five six", "a sentence of eight words or some more.", "About", "2021", "漢字かな",
    "A longer text of the page, with commas, and so on; it has eighty characters at least, as it should.",
)  # fmt: skip

_nested = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=40).map("".join)


pages: Final = (
    st.one_of(_nested, _nested, soups)
    .map(lambda html: parsed(html, "http://e.org/d/p"))
    .filter(lambda page: page is not None and len(page.segments) > 0)
)
"""Pages that show something."""


def long_page(seed: int) -> Page:
    """A page of some two hundred texts."""
    parts = random.Random(seed).choices(_PARTS, k=600)
    return Page("http://e.org/d/long", "".join(parts))


def found(page: Page) -> SegmentFeatures:
    return segment_features(page, NO_WORDS)


def likeness(page: Page) -> np.ndarray:
    """Some number in [0, 1] for each text: the same for the same text."""
    return np.array(
        [len(page.segment_text(index)) * 7 % 11 / 10 for index in range(len(page.segments))], np.float64
    )


def means_of(around: Surroundings, values: np.ndarray) -> np.ndarray:
    table = np.full((len(values), len(mean_names(""))), np.nan, np.float32)
    column = np.ascontiguousarray(values, np.float64)
    _surroundings.means(column, around.weight, around.first, around.last, around.block, around.slot, table)
    return table


# A model small enough to be read.


def stump(feature: int, threshold: float, low: float, high: float) -> Tree:
    return Tree([feature], [threshold], [~0], [~1], [low, high])


def tiny_model() -> AutoModel:
    """Long texts outside of links are content, unless they are on other pages of the site."""
    page = [
        stump(SEGMENT_FEATURES.index("words"), 4.5, -1.5, 1.5),
        stump(SEGMENT_FEATURES.index("in_a"), 0.5, 0.5, -2.0),
    ]
    site = [
        stump(CONTEXT.index("content"), 0.5, -1.0, 1.0),
        stump(CONTEXT.index("segment share"), 0.25, 0.5, -2.5),
    ]
    return AutoModel(
        Vocabulary(np.array([3, 1, 2], np.uint64), np.array([0.5, -1, 2], np.float32)),
        grown(page, len(SEGMENT_FEATURES)),
        grown(site, len(CONTEXT)),
        {"pages": 3},
    )


# Sites whose content is known.


def words(draw: random.Random, count: int) -> str:
    return " ".join("".join(draw.choices(_SYLLABLES, k=draw.randint(1, 3))) for _ in range(count))


def sentences(draw: random.Random, count: int) -> str:
    return " ".join(f"{words(draw, draw.randint(7, 14)).capitalize()}." for _ in range(count))


def article(draw: random.Random, paragraphs: int = 4) -> tuple[str, list[str]]:
    """A title and paragraphs."""
    return words(draw, 5).capitalize(), [sentences(draw, draw.randint(3, 5)) for _ in range(paragraphs)]


def framed(site: str, title: str, inner: str, *, teasers: Sequence[str] = ()) -> str:
    """Put the frame of a site around the content of a page."""
    own = random.Random(site)
    menu = "".join(f'<li class="item"><a href="/{n}">{words(own, 2)}</a></li>' for n in range(8))
    others = "".join(f'<li class="teaser"><a href="/{text[:5]}">{text}</a></li>' for text in teasers)
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title></head><body>"
        f'<header class="site-header"><a href="/">{site}</a><nav class="menu"><ul>{menu}</ul></nav></header>'
        f'<main class="content">{inner}</main>'
        f'<aside class="sidebar"><h3>{words(own, 2)}</h3><ul>{others}</ul><p>{sentences(own, 1)}</p></aside>'
        f'<footer class="footer"><p>Copyright {site}, all rights reserved</p><ul>{menu}</ul></footer></body></html>'
    )


def written(title: str, paragraphs: Sequence[str]) -> str:
    return f"<article><h1>{title}</h1>{''.join(f'<p>{text}</p>' for text in paragraphs)}</article>"


def article_record(site: str, number: int) -> tuple[dict[str, str], str]:
    """A page as the labelled sets have it, and its content."""
    draw = random.Random(f"{site} {number}")
    title, paragraphs = article(draw)
    html = framed(site, title, written(title, paragraphs), teasers=[words(draw, 6) for _ in range(3)])
    record = {"id": f"{site}-{number}", "url": f"http://{site}/{number}.html", "site": site, "html": html}
    return record, "\n".join([title, *paragraphs])


def article_page(site: str, number: int) -> tuple[Page, str]:
    record, text = article_record(site, number)
    return Page(record["url"], record["html"]), text


def example_of(page: Page, text: str, number: int = 0, **given: object) -> Example:
    """Label a page."""
    labels = label_segments(page, Gold(text=text))
    return Example(page, str(given.pop("family", page.site)), labels.label, labels.words, number, **given)


def write_labelled(folder: Path, records: Sequence[dict[str, str]], gold: Sequence[dict[str, str]]) -> Path:
    """Write a labelled set."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("pages", records), ("gold", gold)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    return folder
