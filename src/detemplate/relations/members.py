"""The pages of each template, and what connects others to them."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.relations.engine import TableEngine

_CHUNK_PAGES: Final = 100_000
"""Pages of templates from which a chunk is full."""

_MEMBERS: Final = """
SELECT DISTINCT template_id, page_key FROM template_pagelets"""
"""Query: the pages of each template."""

_OUTSIDE: Final = """
SELECT l.src_page_key AS src_page_key, l.dest_page_key AS dest_page_key
FROM links l LEFT JOIN pages p ON l.dest_page_key = p.page_key
WHERE p.page_key IS NULL GROUP BY l.src_page_key, l.dest_page_key"""
"""Query: the links that lead out of the crawl."""

_LINKED: Final = """
SELECT DISTINCT m.template_id AS template_id, o.dest_page_key AS page_key
FROM template_members m JOIN template_outside o ON m.page_key = o.src_page_key"""
"""Query: the pages outside of the crawl that the pages of each template link to."""


class TemplateMembers(NamedTuple):
    """One template and its pages.

    Attributes
    ----------
    shingle
        Shingle of its pagelets.
    pages
        Keys of the pages that have them, ascending.
    linked
        Keys of pages outside of the crawl that these pages link to, ascending.
    """

    shingle: int
    pages: list[int]
    linked: list[int]


def template_members(engine: TableEngine, *, connected: bool) -> Iterator[TemplateMembers]:
    """Yield the templates that an algorithm found, with their pages, those on most pages first.

    Parameters
    ----------
    engine
        Holds ``templates``, ``template_pagelets``, ``pages`` and ``links``.
    connected
        Whether the pages are wanted; without, both lists are empty.
    """
    if connected:
        engine.sql("template_members", _MEMBERS)
        engine.sql("template_outside", _OUTSIDE)
        engine.sql("template_linked", _LINKED)
    chunk: dict[int, int] = {}
    held = 0
    for template, shingle, pages in engine.rows(
        "SELECT template_id, pagelet_shingle, pages FROM templates ORDER BY template_id"
    ):
        chunk[template] = shingle
        held += pages if connected else 1
        if held >= _CHUNK_PAGES:
            yield from _members(engine, chunk, connected=connected)
            chunk, held = {}, 0
    yield from _members(engine, chunk, connected=connected)


def _members(engine: TableEngine, shingles: dict[int, int], *, connected: bool) -> Iterator[TemplateMembers]:
    """Yield the templates of successive numbers."""
    pages, linked = (
        _keys(engine, table, shingles) if connected and shingles else {}
        for table in ("template_members", "template_linked")
    )
    for template, shingle in shingles.items():
        yield TemplateMembers(shingle, pages.get(template, []), linked.get(template, []))


def _keys(engine: TableEngine, table: str, templates: dict[int, int]) -> dict[int, list[int]]:
    """Return the page keys of a table by template."""
    rows = engine.rows(
        f"SELECT template_id, page_key FROM {table} WHERE template_id BETWEEN {min(templates)} "
        f"AND {max(templates)} ORDER BY template_id, page_key"
    )
    return {template: [key for _, key in group] for template, group in groupby(rows, itemgetter(0))}
