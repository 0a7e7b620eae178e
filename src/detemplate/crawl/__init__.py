"""Crawling with Scrapy: into WARC files, with pages cleaned as they arrive, and with parts for Scrapy projects."""
