"""The public-suffix list of the installed tldextract package; nothing is downloaded."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import ExtractResult, TLDExtract


def parts_of(url: str) -> ExtractResult:
    """Return the parts of the host of a URL, or of a host alone: its suffix, domain and subdomain."""
    return _extractor()(url)


@cache
def _extractor() -> TLDExtract:
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
