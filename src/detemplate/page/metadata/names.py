"""Names of ``meta`` elements by what their values say, the most reliable first."""

from __future__ import annotations

from typing import Final

TITLE: Final = (
    "og:title", "twitter:title", "citation_title", "dc.title", "dcterms.title", "parsely-title",
    "sailthru.title", "headline", "dcterms.alternative",
)  # fmt: skip
"""Titles of the page."""

SITE: Final = (
    "og:site_name", "application-name", "citation_journal_title", "al:ios:app_name", "al:android:app_name",
    "apple-mobile-web-app-title", "dc.publisher", "dcterms.publisher", "publisher", "article:publisher",
)  # fmt: skip
"""Names of the site."""

AUTHOR: Final = (
    "author", "article:author", "article:author_name", "authors", "byl", "parsely-author", "sailthru.author",
    "dc.creator", "dcterms.creator", "dc.creator.aut", "citation_author", "shareaholic:article_author_name",
    "rbauthors", "bt:author", "cxenseparse:author", "og:article:author", "book:author", "og:author",
)  # fmt: skip
"""Authors."""

PUBLISHED: Final = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time",
    "datepublished", "parsely-pub-date", "sailthru.date", "citation_online_date", "citation_publication_date",
    "citation_date", "dcterms.issued", "dc.date.issued", "dcterms.created", "dc.date.created",
    "dcterms.available",
    "shareaholic:article_published_time", "cxenseparse:recs:publishtime", "bt:pubdate", "publish-date",
    "publish_date", "published_time_telegram", "published-date", "published_at", "publication_date",
    "publicationdate", "pubdate", "publishdate", "ptime", "article_date_original", "article.published",
    "date.release", "dc.date", "dcterms.date", "date", "video:release_date", "og:pubdate", "displaydate",
    "originalpublicationdate", "creation_date", "created", "datecreated", "og:regdate", "rnews:datepublished",
)  # fmt: skip
"""Days of publication."""

MODIFIED: Final = (
    "article:modified_time", "og:updated_time", "article:modified", "datemodified", "dcterms.modified",
    "dc.date.modified", "lastmod", "last-modified", "utime", "lastmodified", "revised", "dateupdated",
    "updated_time", "og:modified_time", "modificationdate",
)  # fmt: skip
"""Days of the last change."""

LANGUAGE: Final = (
    "content-language", "og:locale", "inlanguage", "dc.language", "dcterms.language", "language",
)  # fmt: skip
"""Languages."""

CANONICAL: Final = ("og:url", "twitter:url", "parsely-link", "dcterms.identifier")
"""Preferred URLs."""

DESCRIPTION: Final = (
    "og:description", "description", "twitter:description", "dc.description", "dcterms.description",
    "dcterms.abstract", "sailthru.description",
)  # fmt: skip
"""Descriptions."""

IMAGE: Final = (
    "og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src", "image",
    "thumbnail", "sailthru.image.full", "parsely-image-url", "sailthru.image.thumb",
)  # fmt: skip
"""Images."""

TYPE: Final = ("og:type", "parsely-type")
"""Types of the page."""

ALL: Final = (TITLE, SITE, AUTHOR, PUBLISHED, MODIFIED, LANGUAGE, CANONICAL, DESCRIPTION, IMAGE, TYPE)
"""All names."""
