"""Flags that say what a node is as a link, shared by the reader of links and its kernel."""

from __future__ import annotations

from typing import Final

LINK: Final = 1
"""The node is a link."""
LEADS: Final = 2
"""It leads to a page."""
STAYS: Final = 4
"""It leads to a page of the same site."""
HARD: Final = 8
"""Only the resolver of URLs can tell where it leads. Internal."""
