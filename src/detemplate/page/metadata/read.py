"""Reads the metadata of a page: what it says of itself, in the order of how reliable that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from detemplate.page.address import host
from detemplate.page.metadata.authors import author_of
from detemplate.page.metadata.dates import day_in_url, first_day
from detemplate.page.metadata.head import Head
from detemplate.page.metadata.language import language_of
from detemplate.page.metadata.linked import Linked, types_of
from detemplate.page.metadata.markup import Markup
from detemplate.page.metadata.names import (
    CANONICAL,
    DESCRIPTION,
    IMAGE,
    LANGUAGE,
    MODIFIED,
    PUBLISHED,
    SITE,
    TITLE,
    TYPE,
)
from detemplate.page.metadata.record import SHORT, URL, Metadata, plain
from detemplate.page.metadata.titleparts import UNKNOWN, SharedParts, key
from detemplate.page.metadata.titles import choose_title, headings, site_in, site_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page


_MONTH_FIRST: Final = frozenset(("en", "en-us", "en_us"))
"""Languages in which the month is written before the day."""

_PUBLISHED: Final = ("datePublished", "uploadDate", "datePosted", "dateCreated")
"""Properties of JSON-LD that tell the day of publication."""

_MODIFIED: Final = ("dateModified",)
"""Properties of JSON-LD that tell the day of the last change."""


def page_metadata(page: Page, shared: SharedParts = UNKNOWN) -> Metadata:
    """Read what a page says of itself.

    Parameters
    ----------
    page
        The page. Its canonical serialisation and its columns are read, which cleaning does not change.
    shared
        What the site's other pages say of the parts of its title; by default nothing.

    Returns
    -------
    Metadata
        The values. What the page does not say, or says in no readable way, is None.
    """
    head, linked = Head(page), Linked(page)
    work, own = linked.work, linked.page
    text = linked.text
    site = _site(head, linked)
    publisher = text(work, ("publisher",))
    whole = key(page.title)
    others = [name for name in head.values(SITE[1:]) if key(name) != whole]
    sites = site_names(
        page, (site if site != plain(page.title) else "", publisher, *head.values(SITE[:1]), *others)
    )
    told = (text(work, ("headline", "name")), *head.values(TITLE), text(own, ("headline", "name")))
    shown = headings(page)
    title = choose_title(page, shown, told, sites, shared)
    sites |= shared.of_site(plain(page.title))
    month_first = head.language.lower() in _MONTH_FIRST
    markup = Markup(page, shown.get(title, -1))
    canonical = _url(page, head, head.link("canonical"), head.first(CANONICAL[:1]), *_absolute(head))
    published = (
        day_in_url(page.url)
        or day_in_url(canonical or "")
        or first_day(_days(linked, head, _PUBLISHED, PUBLISHED), month_first=month_first)
        or markup.published(month_first=month_first)
    )
    modified = first_day(
        _days(linked, head, _MODIFIED, MODIFIED), month_first=month_first
    ) or markup.modified(month_first=month_first)
    return Metadata(
        title=title or None,
        author=author_of(head, linked, markup, sites),
        published=published,
        modified=modified,
        language=language_of(page, _languages(linked, head)),
        site_name=site or plain(publisher) or site_in(plain(page.title), title, sites) or _host(page),
        canonical_url=canonical,
        description=plain(head.first(DESCRIPTION)) or plain(text(work, ("description",))) or None,
        image=_url(
            page,
            head,
            head.first(IMAGE),
            text(work, ("image", "thumbnailUrl")),
            head.link("image_src"),
            text(own, ("primaryImageOfPage", "image")),
        ),
        page_type=plain(next(iter(types_of(work) or types_of(own)), "") or head.first(TYPE), SHORT) or None,
    )


def _site(head: Head, linked: Linked) -> str:
    first = plain(head.first(SITE[:1])) or plain(linked.text(linked.site, ("name",)))
    return first or next((plain(name) for name in head.values(SITE) if "://" not in name), "")


def _absolute(head: Head) -> Iterator[str]:
    """Give the preferred URLs that are whole: other values of these names are none."""
    return (url for url in head.values(CANONICAL[1:]) if "://" in url)


def _days(linked: Linked, head: Head, keys: tuple[str, ...], names: tuple[str, ...]) -> Iterator[str]:
    """Give the texts that tell a day: of what the page is about, of ``meta`` elements, of the page."""
    yield linked.text(linked.work, keys)
    yield from head.values(names)
    yield linked.text(linked.page, keys[:1])


def _languages(linked: Linked, head: Head) -> Iterator[str]:
    """Give the languages that the page declares, the most reliable first."""
    yield head.language
    yield from head.values(LANGUAGE)
    yield linked.text(linked.work, ("inLanguage",))
    yield linked.text(linked.page, ("inLanguage",))


def _host(page: Page) -> str | None:
    name = host(page.url).removeprefix("www.")
    return plain(name, URL) if "." in name else None


def _url(page: Page, head: Head, *references: str) -> str | None:
    """Give the first reference that makes an absolute URL of the web."""
    for reference in map(str.strip, references):
        if not reference or len(reference) > URL:
            continue
        try:
            whole = reference.startswith(("http://", "https://"))
            url = reference if whole else urljoin(urljoin(page.url, head.base), reference)
        except ValueError:  # for example a broken IPv6 address
            continue
        if url.startswith(("http://", "https://")) and len(url) <= URL and url.isprintable():
            return url.replace(" ", "%20")[:URL]
    return None
