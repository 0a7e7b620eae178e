"""Reads the metadata of a page: what it says of itself, in the order of how reliable that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from detemplate.page.address import host
from detemplate.page.jsonld import types_of
from detemplate.page.metadata.authors import author_of
from detemplate.page.metadata.dates import day_in_url, first_day
from detemplate.page.metadata.head import Head
from detemplate.page.metadata.language import language_of
from detemplate.page.metadata.linked import Linked
from detemplate.page.metadata.markup import Markup
from detemplate.page.metadata.record import SHORT, URL, Metadata, partly, plain
from detemplate.page.metadata.titleparts import UNKNOWN, SharedParts, key, without_ends
from detemplate.page.metadata.titles import choose_title, headings, site_in, site_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.page.page import Page

_MONTH_FIRST: Final = frozenset(("en", "en-us", "en_us"))  # languages with the month before the day
_PUBLISHED: Final = ("datePublished", "uploadDate", "datePosted", "dateCreated")


def page_metadata(page: Page, shared: SharedParts = UNKNOWN) -> Metadata:
    """Read what a page says of itself; authors and days when they are first asked for.

    ``page``: the page. Its canonical serialisation and its columns are read, which cleaning does not change.
    ``shared``: what the site's other pages say of the parts of its title; by default nothing.
    Returns: the values. What the page does not say, or says in no readable way, is None.
    """
    head, linked = Head(page), Linked(page)
    work, own, text = linked.work, linked.page, linked.text
    whole = plain(page.title)
    site = plain(head.first("site")) or plain(text(linked.site, "name"))
    site = site or next((plain(name) for name in head.values("site", "other_site") if "://" not in name), "")
    publisher = text(work, "publisher")
    other_sites = [name for name in head.values("other_site") if key(name) != key(page.title)]
    sites = site_names(page, (site if site != whole else "", publisher, *head.values("site"), *other_sites))
    told = (text(work, "headline", "name"), *head.values("title"), text(own, "headline", "name"))
    shown = headings(page)
    title = choose_title(page, shown, told, sites, shared)
    sites |= shared.of_site(whole)
    named = site or plain(publisher) or site_in(whole, title, sites)
    named = without_ends(named, lambda part: key(part) == key(title))  # some have the page's title there, too
    sites.add(key(named))
    kind = next(iter(types_of(work) or types_of(own)), "") or head.first("type")
    whole_urls = (url for url in head.values("other_url") if "://" in url)  # other values are none
    canonical = _url(page, head, (*head.values("url"), *whole_urls))
    images = (
        head.first("image"),
        text(work, "image", "thumbnailUrl"),
        head.first("other_image"),
        text(own, "primaryImageOfPage", "image"),
    )
    languages = (head.language, *head.values("language"), text(work, "inLanguage"), text(own, "inLanguage"))
    month_first = head.language.lower() in _MONTH_FIRST
    markup = Markup(page, shown.get(title, -1), month_first=month_first)

    def day_told(field: str, *keys: str) -> str | None:
        """Return the day that is told of what the page is about, by ``meta`` elements, or of the page."""
        texts = (text(work, *keys), *head.values(field), text(own, keys[0]))
        return first_day(texts, month_first=month_first)

    def published() -> str | None:
        in_url = day_in_url(page.url) or day_in_url(canonical or "")
        return in_url or day_told("published", *_PUBLISHED) or markup.published()

    values = {
        "title": title or None,
        "language": language_of(page, languages),
        "site_name": named or _host(page),
        "canonical_url": canonical,
        "description": plain(head.first("description")) or plain(text(work, "description")) or None,
        "image": _url(page, head, images),
        "page_type": plain(kind, SHORT) or None,
    }
    later = {
        "author": lambda: author_of(head, linked, markup, sites, shared.words(page)),
        "published": published,
        "modified": lambda: day_told("modified", "dateModified") or markup.modified(),
    }
    return partly(values, later)


def _host(page: Page) -> str | None:
    name = host(page.url).removeprefix("www.")
    return plain(name, URL) if "." in name else None


def _url(page: Page, head: Head, references: Iterable[str]) -> str | None:
    """Return the first reference that makes an absolute URL of the web."""
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
