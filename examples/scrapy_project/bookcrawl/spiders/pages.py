"""A spider that follows all links of a site."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import scrapy
from scrapy.linkextractors import LinkExtractor

from bookcrawl.items import PageItem


class PagesSpider(scrapy.Spider):
    """Give an item for each page of a site: ``scrapy crawl pages -a start=https://doc.rust-lang.org/book/``."""

    name = "pages"

    def __init__(self, start: str = "https://doc.rust-lang.org/book/", **given: str) -> None:
        super().__init__(**given)
        self.start_urls = [start]
        self.links = LinkExtractor(allow_domains=[urlsplit(start).netloc])

    def parse(self, response: scrapy.http.Response) -> Iterator[PageItem | scrapy.Request]:
        """Make an item of a page, and follow its links."""
        yield PageItem(response.url, response.css("title::text").get(""), html=response)
        for link in self.links.extract_links(response):
            yield response.follow(link, self.parse)
