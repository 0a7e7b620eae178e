"""Finds the item of JSON-LD that a page is about, and what JSON-LD says of the page and its site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from detemplate.page.jsonld import types_of
from detemplate.page.metadata.record import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

_MOST_ITEMS: Final = 500
_MOST_BYTES: Final = 1 << 20  # of all JSON-LD of a page
_MOST_NAMES: Final = 50  # of one property

# Properties that lead from one item to others that the page may be about.
_INNER: Final = ("@graph", "mainEntity", "mainEntityOfPage", "about", "itemReviewed")

# Types of schema.org that a page is about.
_WORK_TYPES: Final = (
    "Article NewsArticle BlogPosting LiveBlogPosting SocialMediaPosting Report ReportageNewsArticle "
    "AnalysisNewsArticle OpinionNewsArticle BackgroundNewsArticle ReviewNewsArticle AskPublicNewsArticle "
    "SatiricalArticle AdvertiserContentArticle ScholarlyArticle MedicalScholarlyArticle TechArticle "
    "APIReference DiscussionForumPosting Question Recipe Review CriticReview HowTo Product ProductGroup "
    "Vehicle Car Book Movie TVEpisode TVSeries PodcastEpisode VideoObject Event Course JobPosting "
    "SoftwareApplication SoftwareSourceCode Dataset MusicRecording MusicAlbum Game VideoGame CreativeWork "
    "Photograph Thesis Chapter Clip ProfilePage Claim ClaimReview"
)
_WORKS: Final = frozenset(_WORK_TYPES.split())

# Types of the page itself.
_PAGE_TYPES: Final = (
    "WebPage ItemPage AboutPage ContactPage FAQPage QAPage CollectionPage CheckoutPage MedicalWebPage "
    "SearchResultsPage RealEstateListing"
)
_PAGES: Final = frozenset(_PAGE_TYPES.split())

# Types whose items say who wrote a page and when.
_ARTICLE: Final = re.compile(r"Article$|Posting$|^Report$|^Recipe$")

# A property with a text in JSON that does not parse.
_BROKEN: Final = re.compile(
    r'"(headline|datePublished|dateModified|@type)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){1,1000})"'
)


class Linked:
    """The JSON-LD of a page.

    Attributes
    ----------
    work, page, site : dict
        The item that the page is about, the page itself, and the site. Empty if there is none, or if it
        cannot be told which one it is.
    """

    def __init__(self, page: Page) -> None:
        self._by_id: dict[str, dict[str, Any]] = {}
        works: list[dict[str, Any]] = []
        self.page: dict[str, Any] = {}
        self.site: dict[str, Any] = {}
        organisation: dict[str, Any] = {}
        for item in _items(page):
            types = types_of(item)
            identity = item.get("@id")
            if isinstance(identity, str) and len(item) > 2:
                self._by_id.setdefault(identity, item)
            if not _WORKS.isdisjoint(types):
                works.append(item)
            elif not _PAGES.isdisjoint(types):
                self.page = self.page or item
            elif "WebSite" in types:
                self.site = self.site or item
            elif not organisation and any(kind.endswith(("Organization", "Corporation")) for kind in types):
                organisation = item
        self.site = self.site or organisation
        self.work = self._chosen(works, page)

    def _chosen(self, works: list[dict[str, Any]], page: Page) -> dict[str, Any]:
        """Choose the item that the page is about: the only one, or that with the page's URL or title."""
        if len(works) < 2:
            return works[0] if works else {}
        articles = [item for item in works if any(_ARTICLE.search(kind) for kind in types_of(item))]
        if len(articles) == 1:
            return articles[0]
        address = _address(page.url)
        for item in articles or works:
            own = (item.get("url"), item.get("mainEntityOfPage"), item.get("@id"))
            if any(_address(each.get("@id") if isinstance(each, dict) else each) == address for each in own):
                return item
        title = page.title[:LONG].casefold()
        for item in articles or works:
            name = self.text(item, "headline", "name").casefold()
            if len(name) > 3 and name in title:
                return item
        return {}

    def text(self, item: dict[str, Any], *keys: str) -> str:
        """Return the first text of an item's properties: of a list the first, of an item its name."""
        for value in map(item.get, keys) if item else ():
            if isinstance(value, str) and value:
                return value
            for text in self.texts(value) if value else ():
                return text
        return ""

    def texts(self, value: object) -> Iterator[str]:
        """Return the texts of a value: itself, or the names of items, of which some are named by ``@id``."""
        for each in value[:_MOST_NAMES] if isinstance(value, list) else (value,):
            found = each
            if isinstance(found, dict):
                if not found.get("name") and isinstance(found.get("@id"), str):
                    found = self._by_id.get(found["@id"], found)
                parts = [found.get(key) for key in ("givenName", "familyName")]
                whole = " ".join(part for part in parts if isinstance(part, str))
                told = (found[key] for key in ("name", "url", "@value", "contentUrl") if found.get(key))
                found = whole if whole and not found.get("name") else next(told, None)
            for text in found[:_MOST_NAMES] if isinstance(found, list) else (found,):
                if isinstance(text, str) and text and not text.isspace():
                    yield text


def _address(url: object) -> str | None:
    """Return a URL without scheme, ``www.``, query and trailing slash, to compare it with others."""
    if not isinstance(url, str) or "//" not in url:
        return None
    return re.split("[?#]", url.partition("//")[2])[0].removeprefix("www.").rstrip("/").lower()


def _items(page: Page) -> Iterator[dict[str, Any]]:
    """Return the items at the top of JSON-LD data, and those that they lead to; 500 at most."""
    count = size = 0
    for document in page.linked:
        size += len(document.written)
        if size > _MOST_BYTES:
            return
        data = document.data
        if data is None:
            pairs = dict(reversed(_BROKEN.findall(document.written.decode()[:100_000])))
            data = pairs if "datePublished" in pairs or "headline" in pairs else None
        pending: list[object] = [data]
        while pending and count < _MOST_ITEMS:
            item = pending.pop()
            if isinstance(item, list):
                pending += item[:_MOST_ITEMS][::-1]
            elif isinstance(item, dict):
                count += 1
                yield item
                if not item.keys().isdisjoint(_INNER):
                    pending += [
                        item[key] for key in reversed(_INNER) if isinstance(item.get(key), list | dict)
                    ]
