"""What the spider makes of a page."""

from dataclasses import dataclass
from typing import Any


@dataclass
class PageItem:
    """A page. The spider fills in the first three fields, detemplate the others."""

    url: str
    title: str
    html: Any = None
    text: str | None = None
    markdown: str | None = None
