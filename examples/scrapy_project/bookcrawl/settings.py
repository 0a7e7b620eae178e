"""Settings: three lines switch detemplate on, the rest says how."""

BOT_NAME = "bookcrawl"
SPIDER_MODULES = ["bookcrawl.spiders"]

# Say who you are, ask politely.
USER_AGENT = "bookcrawl (+https://example.org/about-this-crawler)"
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1.0

# Each item gets its page's cleaned text; each answer goes into a WARC file.
ITEM_PIPELINES = {
    "detemplate.crawl.CleanPipeline": 300,
    "detemplate.crawl.WarcPipeline": 900,
}
# Links in menus and footers are fetched after those in the content.
SPIDER_MIDDLEWARES = {
    "detemplate.crawl.TemplatePriorityMiddleware": 500,
}

DETEMPLATE_FORMATS = ["text", "markdown"]
DETEMPLATE_KEEP_HTML = False  # the items are small; the pages are in the WARC file
DETEMPLATE_WARC = "book.warc.gz"
DETEMPLATE_STORE = "templates.db"  # the next crawl goes on with what this one has learnt
