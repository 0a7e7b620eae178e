"""A made site with any number of pages."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYLLABLES: Final = (
    "ba", "co", "di", "fu", "ga", "hel", "in", "jo", "ka", "lor", "mi", "nu", "os", "per", "qua", "ri",
)  # fmt: skip
"""Parts of made words."""
_SECTIONS: Final = ("News", "Products", "Research", "People", "Events", "Archive", "Help", "Contact")
"""Entries of the navigation."""


def synthetic_site(pages: int, *, templates: int = 3, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Make the pages of a site whose template changes over time.

    Every page has a header, a navigation, links to its neighbours, a sidebar, a footer, and a unique content
    of 50 to 5,000 words. The content is random: paragraphs of at least eight words, drawn from 20,000, so
    that pages share none.
    """
    generator = random.Random(seed)
    vocabulary = ["".join(generator.choices(_SYLLABLES, k=generator.randint(1, 4))) for _ in range(20_000)]
    frames = [_frame(generator, vocabulary, number) for number in range(templates)]
    for number in range(pages):
        before, after = frames[number * templates // pages]
        yield (
            f"https://example.org/{number // 100}/{number}.html",
            f"{before}{_content(generator, vocabulary, number)}{after}",
        )


def _frame(generator: random.Random, vocabulary: list[str], version: int) -> tuple[str, str]:
    def phrase(length: int) -> str:
        return " ".join(generator.choices(vocabulary, k=length)).capitalize()

    links = "".join(
        f'<li class="v{version}"><a href="/{section.lower()}/">{section} {phrase(1)}</a></li>'
        for section in generator.sample(_SECTIONS, k=6)
    )
    topics = "".join(f'<li><a href="/topic/{n}">{phrase(2)}</a></li>' for n in range(30))
    before = (
        f'<!doctype html><html lang="en"><head><title>{phrase(3)}</title></head><body>'
        f'<header class="top-{version}"><a href="/">{phrase(2)}</a><p>{phrase(8)}</p></header>'
        f"<nav><ul>{links}</ul></nav><main>"
    )
    after = (
        f"</main><aside><h2>{phrase(2)}</h2><ul>{topics}</ul><p>{phrase(25)}</p></aside>"
        f"<footer><p>{phrase(12)}</p><p>© {phrase(3)}</p></footer></body></html>"
    )
    return before, after


def _content(generator: random.Random, vocabulary: list[str], number: int) -> str:
    parts = [f"<h1>{' '.join(generator.choices(vocabulary, k=5))}</h1>"]
    left = min(5000, int(50 + generator.expovariate(1 / 400)))
    while left > 0:
        length = max(8, min(left, generator.randint(8, 120)))
        parts.append(f"<p>{' '.join(generator.choices(vocabulary, k=length))}.</p>")
        left -= length
    near = "".join(f'<li><a href="{n}.html">Page {n}</a></li>' for n in range(max(0, number - 2), number + 3))
    return "".join(parts) + f"<ul>{near}</ul>"
