"""A Scrapy project that cleans pages while it crawls."""
