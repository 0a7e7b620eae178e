"""Crawling with Scrapy: into WARC files, with pages cleaned as they arrive, and with parts for Scrapy projects.

Scrapy itself is imported when one of these is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detemplate.crawl.pipelines import (
        CleanMiddleware,
        CleanPipeline,
        TemplatePriorityMiddleware,
        WarcPipeline,
    )

__all__ = ["CleanMiddleware", "CleanPipeline", "TemplatePriorityMiddleware", "WarcPipeline"]

if not TYPE_CHECKING:  # type checkers read the import above, and refuse other names

    def __getattr__(name: str) -> object:
        """Import a public name when it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"module 'detemplate.crawl' has no attribute {name!r}")
        try:
            from detemplate.crawl import pipelines
        except ModuleNotFoundError as error:
            from detemplate.errors import MissingExtra

            if error.name in {"scrapy", "itemadapter"}:
                raise MissingExtra("detemplate.crawl", "crawl") from None
            raise
        return getattr(pipelines, name)
