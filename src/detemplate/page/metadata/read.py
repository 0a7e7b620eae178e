"""Reads the metadata of a page: what it says of itself, in the order of how reliable that is."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from detemplate.page.address import host
from detemplate.page.metadata.authors import author_of
from detemplate.page.metadata.dates import day_in_url, first_day
from detemplate.page.metadata.head import Head
from detemplate.page.metadata.language import language_of
from detemplate.page.metadata.linked import Linked, types_of
from detemplate.page.metadata.markup import Markup
from detemplate.page.metadata.record import SHORT, URL, Metadata, partly, plain
from detemplate.page.metadata.titleparts import UNKNOWN, SharedParts, key
from detemplate.page.metadata.titles import choose_title, headings, site_in, site_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
    site = _site(head, linked)
    publisher = text(work, "publisher")
    other_sites = [name for name in head.values("other_site") if key(name) != key(page.title)]
    sites = site_names(page, (site if site != whole else "", publisher, *head.values("site"), *other_sites))
    told = (text(work, "headline", "name"), *head.values("title"), text(own, "headline", "name"))
    shown = headings(page)
    title = choose_title(page, shown, told, sites, shared)
    sites |= shared.of_site(whole)
    canonical = _url(page, head, _addresses(head))
    values = {
        "title": title or None,
        "language": language_of(page, _languages(linked, head)),
        "site_name": site or plain(publisher) or site_in(whole, title, sites) or _host(page),
        "canonical_url": canonical,
        "description": plain(head.first("description")) or plain(text(work, "description")) or None,
        "image": _url(page, head, _images(head, linked)),
        "page_type": plain(next(iter(types_of(work) or types_of(own)), "") or head.first("type"), SHORT)
        or None,
    }
    markup = Markup(page, shown.get(title, -1), month_first=head.language.lower() in _MONTH_FIRST)
    return partly(
        values, _Later(head, linked, markup, (sites, lambda: shared.words(page)), (page.url, canonical or ""))
    )


class _Later:
    """Reads authors and days: a method for each field."""

    def __init__(
        self,
        head: Head,
        linked: Linked,
        markup: Markup,
        names: tuple[set[str], Callable[[], set[str]]],
        urls: tuple[str, ...],
    ) -> None:
        self._head, self._linked, self._markup = head, linked, markup
        self._names, self._urls = names, urls

    def author(self) -> str | None:
        sites, common = self._names
        return author_of(self._head, self._linked, self._markup, sites, common())

    def published(self) -> str | None:
        in_url = next(filter(None, map(day_in_url, self._urls)), None)
        return in_url or self._told("published", *_PUBLISHED) or self._markup.published()

    def modified(self) -> str | None:
        return self._told("modified", "dateModified") or self._markup.modified()

    def _told(self, field: str, *keys: str) -> str | None:
        """Return the day that is told of what the page is about, by ``meta`` elements, or of the page."""
        linked = self._linked
        texts = chain(
            (linked.text(linked.work, *keys),), self._head.values(field), (linked.text(linked.page, keys[0]),)
        )
        return first_day(texts, month_first=self._markup.month_first)


def _site(head: Head, linked: Linked) -> str:
    first = plain(head.first("site")) or plain(linked.text(linked.site, "name"))
    return first or next((plain(name) for name in head.values("site", "other_site") if "://" not in name), "")


def _addresses(head: Head) -> Iterator[str]:
    """Yield the preferred URLs; of some names only what is whole, because other values are none."""
    yield head.link(b"canonical")
    yield head.first("url")
    yield from (url for url in head.values("other_url") if "://" in url)


def _images(head: Head, linked: Linked) -> Iterator[str]:
    """Yield the URLs of images, the most reliable first."""
    yield head.first("image")
    yield linked.text(linked.work, "image", "thumbnailUrl")
    yield head.link(b"image_src")
    yield linked.text(linked.page, "primaryImageOfPage", "image")


def _languages(linked: Linked, head: Head) -> Iterator[str]:
    """Yield the languages that the page declares, the most reliable first."""
    yield head.language
    yield from head.values("language")
    yield linked.text(linked.work, "inLanguage")
    yield linked.text(linked.page, "inLanguage")


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
