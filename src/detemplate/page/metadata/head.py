"""Reads what the tags of a page say of it: ``html``, ``meta`` and ``link``."""

from __future__ import annotations

import re
from html import unescape
from itertools import chain
from typing import TYPE_CHECKING, Final

from detemplate.page import tags
from detemplate.page.jsonld import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

_MOST: Final = 500  # elements of a kind that are read
_MOST_VALUES: Final = 50  # values of one name that are kept
_META, _LINK, _BASE, _HTML = (tags.IDS[name] for name in ("meta", "link", "base", "html"))

# Names of `meta` elements by what their values say, the most reliable first.
_FIELDS: Final = {
    "title": (
        "og:title twitter:title citation_title dc.title dcterms.title parsely-title sailthru.title "
        "headline dcterms.alternative"
    ),
    "site": "og:site_name",
    "other_site": (
        "application-name citation_journal_title al:ios:app_name al:android:app_name "
        "apple-mobile-web-app-title dc.publisher dcterms.publisher publisher article:publisher"
    ),
    "author": (
        "author article:author article:author_name authors byl parsely-author sailthru.author dc.creator "
        "dcterms.creator dc.creator.aut citation_author shareaholic:article_author_name rbauthors "
        "bt:author cxenseparse:author og:article:author book:author og:author"
    ),
    "published": (
        "article:published_time article:published og:article:published_time og:published_time "
        "datepublished parsely-pub-date sailthru.date citation_online_date citation_publication_date "
        "citation_date dcterms.issued dc.date.issued dcterms.created dc.date.created dcterms.available "
        "shareaholic:article_published_time cxenseparse:recs:publishtime bt:pubdate publish-date "
        "publish_date published_time_telegram published-date published_at publication_date "
        "publicationdate pubdate publishdate ptime article_date_original article.published date.release "
        "dc.date dcterms.date date video:release_date og:pubdate displaydate originalpublicationdate "
        "creation_date created datecreated og:regdate rnews:datepublished"
    ),
    "modified": (
        "article:modified_time og:updated_time article:modified datemodified dcterms.modified "
        "dc.date.modified lastmod last-modified utime lastmodified revised dateupdated updated_time "
        "og:modified_time modificationdate"
    ),
    "language": "content-language og:locale inlanguage dc.language dcterms.language language",
    "url": "canonical og:url",
    "other_url": "twitter:url parsely-link dcterms.identifier",
    "description": (
        "og:description description twitter:description dc.description dcterms.description "
        "dcterms.abstract sailthru.description"
    ),
    "image": (
        "og:image og:image:secure_url og:image:url twitter:image twitter:image:src image thumbnail "
        "sailthru.image.full parsely-image-url sailthru.image.thumb"
    ),
    "other_image": "image_src",
    "type": "og:type parsely-type",
    "parsely-page": "parsely-page",
}
_NAMES: Final = {field: names.split() for field, names in _FIELDS.items()}
_PARSELY: Final = "parsely-page"
_KNOWN: Final = {name.encode(): name for names in _NAMES.values() for name in names}

# Groups 1 to 5 are names of a value, group 6 is the value; some pages have `value` for `content`.
_PARTS: Final = re.compile(
    rb'<[a-z]+(?:\sproperty="([^"]+)"|\sname="([^"]+)"|\sitemprop="([^"]+)"|\shttp-equiv="([^"]+)"|'
    rb'\srel="(?:[^"]*\s)?((?i:canonical|image_src))(?:\s[^"]*)?"|\s(?:content|value|href)="([^"]+)"|'
    rb'\s[^\s"=>]+="[^"]*")+'
)
_START: Final = rb'<[a-z]+(?:\s[^\s"=>]+="[^"]*")*?\s'
_HREF: Final = re.compile(_START + rb'href="([^"]+)"')
_LANGUAGE: Final = re.compile(_START + rb'(?:xml:)?lang="([^"]+)"')


def _text(value: bytes) -> str:
    text = value.decode("utf-8", "ignore")
    return unescape(text) if "&" in text else text


def _tags(page: Page, tag: int) -> list[bytes]:
    """Return elements without content, as they stand in the page."""
    starts, stops = page.columns.start.data, page.columns.stop.data
    return [page.canonical[starts[row] : stops[row]] for row in page.landmarks.get(tag, ())[:_MOST]]


def _attribute(page: Page, tag: int, pattern: re.Pattern[bytes]) -> str:
    """Return the value of an attribute in the first element with a tag that has it, else ``""``."""
    starts = page.columns.start.data
    found = (pattern.match(page.canonical, starts[row]) for row in page.landmarks.get(tag, ())[:_MOST])
    return next((_text(each[1]) for each in found if each), "")


class Head:
    """The values that a page's ``html``, ``base``, ``meta`` and ``link`` elements have for it.

    ``language``, ``base``: attribute ``lang`` of the ``html`` element; URL of the ``base`` element.
    """

    def __init__(self, page: Page) -> None:
        self.language = _attribute(page, _HTML, _LANGUAGE)
        self.base = _attribute(page, _BASE, _HREF)
        self._values: dict[str, list[str | bytes]] = {}  # as written until they are asked for
        links = [link for link in _tags(page, _LINK) if b"anonical" in link or b"mage_src" in link]
        for *names, content in _PARTS.findall(b"".join(_tags(page, _META) + links)):
            for name in names if content else ():
                if name and (known := _KNOWN.get(name) or _KNOWN.get(name.strip().lower())):
                    values = self._values.setdefault(known, [])
                    if len(values) < _MOST_VALUES:
                        values.append(content)
        if _PARSELY in self._values:
            self._read_parsely(loaded(self.first(_PARSELY)))

    def _read_parsely(self, told: object) -> None:
        """Read what the element ``parsely-page`` has as JSON, as if each had an element of its own."""
        for key, value in told.items() if isinstance(told, dict) else ():
            name = "parsely-" + key.replace("_", "-").removesuffix("s")
            texts = [
                text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)
            ]
            if texts:
                self._values.setdefault(name, [*texts[:_MOST_VALUES]])

    def by_name(self, *fields: str) -> Iterator[list[str]]:
        """Yield the values of each name of fields, the most reliable name first."""
        for field in fields:
            for name in _NAMES[field]:
                if name in self._values:
                    yield [
                        _text(value) if isinstance(value, bytes) else value for value in self._values[name]
                    ]

    def values(self, *fields: str) -> Iterator[str]:
        """Yield the values of fields, the most reliable first."""
        return chain.from_iterable(self.by_name(*fields))

    def first(self, *fields: str) -> str:
        """Return the first value of fields that is not blank; ``""`` if there is none."""
        return next((value for value in self.values(*fields) if not value.isspace()), "")
