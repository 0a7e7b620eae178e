"""Parts for Scrapy projects: item pipelines that clean and archive pages, and priorities of links.

Each reads Scrapy's settings, whose names begin with ``DETEMPLATE_`` (``docs/crawl.md`` lists them).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from detemplate.crawl.warcfile import SUFFIXES, WarcWriter
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.links.focus import template_scores
from detemplate.output.options import formats_of
from detemplate.page.links import page_links
from detemplate.page.urls import canonical_url
from detemplate.run.cleaner import Cleaner
from detemplate.run.limits import too_large

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from detemplate.output.result import Result

META: Final = "detemplate"
"""Key of ``response.meta`` for the result of a page."""

_PENALTY: Final = 10
"""Default of ``DETEMPLATE_LINK_PENALTY``: what the priority of a link in a template loses."""


class _Pages:
    """Cleans pages as the settings say; those of too many bytes are errors before they are parsed.

    ``store``: the store with which the cleaner goes on, if it exists.
    """

    def __init__(self, settings: BaseSettings, store: str | None = None) -> None:
        self._most = settings.getint("DETEMPLATE_MAX_PAGE_BYTES", DEFAULT_MAX_PAGE_BYTES)
        given: dict[str, Any] = dict(settings.getdict("DETEMPLATE_OPTIONS"))
        for name in ("method", "site_by"):
            value = settings.get(f"DETEMPLATE_{name.upper()}")
            if value is not None:
                given[name] = value
        self.cleaner = Cleaner(store=store, **given)

    def learn_and_clean(self, record: Record) -> Result:
        error = too_large(record, self._most)
        if error is not None:
            raise error
        return self.cleaner.learn_and_clean(record)


class _Fields:
    """The fields that items get of pages, as the settings say.

    Raises
    ------
    NotConfigured
        A format is unknown.
    UserError
        As of :class:`~detemplate.run.cleaner.Cleaner`.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        try:
            self._formats = formats_of(settings.getlist("DETEMPLATE_FORMATS", ["text"]))
        except UserError as error:
            raise NotConfigured(f"DETEMPLATE_FORMATS: {error}") from error
        self.url: str = settings.get("DETEMPLATE_URL_FIELD", "url")
        self.html: str = settings.get("DETEMPLATE_HTML_FIELD", "html")
        names = settings.getdict("DETEMPLATE_FIELDS")
        self._names = {each: str(names.get(each, self._name(each))) for each in self._formats}
        self._pages = _Pages(settings, settings.get("DETEMPLATE_STORE"))

    def _name(self, name: str) -> str:
        return f"clean_{name}" if name in {self.html, self.url} else name

    def of(self, record: Record) -> tuple[dict[str, str | None], Result | None]:
        """Learn and clean a page; give the fields, and the result. Of a page that is lost, all are None."""
        try:
            result = self._pages.learn_and_clean(record)
            found = {self._names[name]: getattr(result, name) for name in self._formats}
        except PageError as error:
            self._stats.inc_value(f"detemplate/lost/{error.reason}")
            return dict.fromkeys(self._names.values()), None
        self._stats.inc_value("detemplate/cleaned")
        return found, result

    def close(self) -> None:
        """Write what was learned into the store."""
        cleaner = self._pages.cleaner
        if cleaner.store is not None:
            cleaner.save()
        cleaner.close()


class CleanPipeline:
    """Item pipeline: adds a page's cleaned text, HTML or Markdown to its item, in one pass.

    The item's field ``html`` (``DETEMPLATE_HTML_FIELD``) holds the page: text, bytes or the response. Its URL
    is in the field ``url`` (``DETEMPLATE_URL_FIELD``); a response has its own. Items without a page get no
    field. The fields of a page that cannot be cleaned become None; the crawl's stats count the reason.

    Parameters
    ----------
    crawler
        The crawler.

    Raises
    ------
    NotConfigured
        A format is unknown.
    UserError
        As of :class:`~detemplate.run.cleaner.Cleaner`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._fields = _Fields(crawler)
        self._drops = not crawler.settings.getbool("DETEMPLATE_KEEP_HTML", True)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it, as Scrapy does."""
        return cls(crawler)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401  # any kind of item
        """Clean the page of an item."""
        fields = ItemAdapter(item)
        page = fields.get(self._fields.html)
        if page is not None:
            url, charset = fields.get(self._fields.url), None
            if isinstance(page, Response):
                charset = page.encoding if isinstance(page, TextResponse) else None
                url, page = url or page.url, page.body
            cleaned, _ = self._fields.of(Record(url or "", page, charset))
        if self._drops:
            _leave_out(item, self._fields.html)
        if page is not None:
            for name, value in cleaned.items():
                fields[name] = value
        return item

    def close_spider(self) -> None:
        """Write what was learned into the store."""
        self._fields.close()


class CleanMiddleware(BaseSpiderMiddleware):
    """Spider middleware: cleans each page when its answer comes, for projects whose items hold no page.

    The items that a callback makes of a page get its cleaned text, HTML or Markdown, as from
    :class:`CleanPipeline`. The callback itself finds the :class:`~detemplate.Result` in
    ``response.meta["detemplate"]``; None of a page that cannot be cleaned. Items that are declared without
    any of these fields stay as they are; the crawl's stats count them (``detemplate/no_field``).

    Parameters
    ----------
    crawler
        The crawler.

    Raises
    ------
    NotConfigured
        A format is unknown.
    UserError
        As of :class:`~detemplate.run.cleaner.Cleaner`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._fields = _Fields(crawler)
        self._cleaned: WeakKeyDictionary[Response, dict[str, str | None]] = WeakKeyDictionary()
        crawler.signals.connect(self._fields.close, signals.spider_closed, weak=False)

    def process_spider_input(self, response: Response) -> None:
        """Learn and clean a page."""
        if isinstance(response, HtmlResponse):
            record = Record(response.url, response.body, response.encoding)
            self._cleaned[response], result = self._fields.of(record)
            if response.request is not None:
                response.request.meta[META] = result

    def get_processed_request(self, request: Request, response: Response | None) -> Request:  # noqa: ARG002
        """Leave the page out of what a request takes over from the one before it."""
        request.meta.pop(META, None)
        return request

    def get_processed_item(self, item: Any, response: Response | None) -> Any:  # noqa: ANN401
        """Add the fields of a page to an item that was made of it."""
        cleaned = self._cleaned.get(response, {}) if response is not None else {}
        fields = ItemAdapter(item)
        known = cleaned.keys() if isinstance(item, dict) else cleaned.keys() & {*fields.field_names()}
        for name in known:
            fields[name] = cleaned[name]
        if cleaned and not known:
            self.crawler.stats.inc_value("detemplate/no_field")
        return item


def _leave_out(item: Any, name: str) -> None:  # noqa: ANN401  # any kind of item
    """Remove a field of an item, also one that has a default in its class."""
    fields = ItemAdapter(item)
    if name in fields:
        del fields[name]
    if name in fields:
        kind: Any = type(item)
        item.__class__ = _without(kind, name)


class _Absent:
    """An attribute that is not there."""

    def __get__(self, item: object, kind: type | None = None) -> object:
        raise AttributeError("the page is not kept")


@cache
def _without(kind: Any, name: str) -> Any:  # noqa: ANN401  # a class
    """Return a class of items like another, whose default for a field is none."""
    return type(kind.__name__, (kind,), {name: _Absent(), "__module__": kind.__module__})


class WarcPipeline:
    """Item pipeline: writes each answer, as it was received, into the WARC file ``DETEMPLATE_WARC``.

    It archives all that the crawler fetches, also what no item is made of: redirects, errors, robots.txt.
    Items pass unchanged. The file takes its name when the spider is closed.

    Parameters
    ----------
    crawler
        The crawler.

    Raises
    ------
    NotConfigured
        The setting is missing, or names no ``.warc`` or ``.warc.gz`` file.
    """

    def __init__(self, crawler: Crawler) -> None:
        output: str | None = crawler.settings.get("DETEMPLATE_WARC")
        if output is None or not output.endswith(SUFFIXES):
            raise NotConfigured(
                f"DETEMPLATE_WARC names no file that ends in {' or '.join(SUFFIXES)}: {output}"
            )
        about = {"http-header-user-agent": str(crawler.settings.get("USER_AGENT"))}
        self._writer = WarcWriter(output, fields=about)
        crawler.signals.connect(self._write, signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it, as Scrapy does."""
        return cls(crawler)

    def _write(self, response: Response, request: Request) -> None:
        self._writer.write(response, request, robots=request.url.endswith("/robots.txt"))

    def process_item(self, item: Any) -> Any:  # noqa: ANN401  # any kind of item
        """Return the item as it is."""
        return item

    def close_spider(self) -> None:
        """Move the file to its name."""
        self._writer.close()


class TemplatePriorityMiddleware(BaseSpiderMiddleware):
    """Spider middleware: links in template regions get a lower priority, so that content links come first.

    Bar-Yossef & Rajagopalan 2002, section 4, case 2. A request that a callback makes of a link on its page
    loses ``DETEMPLATE_LINK_PENALTY`` (10) times the share of template text in the link's pagelet. Of several
    links to one URL, the one with the least template counts.

    Parameters
    ----------
    crawler
        The crawler.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._penalty = crawler.settings.getfloat("DETEMPLATE_LINK_PENALTY", _PENALTY)
        self._pages = _Pages(crawler.settings)
        self._scores: WeakKeyDictionary[Response, dict[str, float]] = WeakKeyDictionary()
        crawler.signals.connect(self._pages.cleaner.close, signals.spider_closed, weak=False)

    def process_spider_input(self, response: Response) -> None:
        """Learn a page, and score its links."""
        if not isinstance(response, HtmlResponse):
            return
        try:
            result = self._pages.learn_and_clean(Record(response.url, response.body, response.encoding))
        except PageError:
            return
        links = page_links(result.page)
        scores: dict[str, float] = {}
        found = template_scores(result.page, result.verdict, links.rows).tolist()
        for url, score in zip(links.urls, found, strict=True):
            scores[url] = min(score, scores.get(url, 1.0))
        self._scores[response] = scores

    def get_processed_request(self, request: Request, response: Response | None) -> Request:
        """Lower the priority of a request, if its link is in a template."""
        scores = {} if response is None else self._scores.get(response, {})
        score = scores.get(canonical_url(request.url) or request.url, 0.0)
        lost = round(self._penalty * score)
        return request.replace(priority=request.priority - lost) if lost else request
