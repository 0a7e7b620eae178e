"""The words for features of a node, with numbers that a person can check on the page."""

from __future__ import annotations

import math
from typing import Final

_SHARE: Final = "share"
"""Unit: a share in [0, 1], told in percent."""

_COUNT: Final = "count"
"""Unit: the logarithm of one more than a count, told as the count."""

_PHRASES: Final[dict[str, tuple[str, str]]] = {
    "margin": ("distance to the nearest edge of the page", _SHARE),
    "margin_left": ("distance to the page's left edge", _SHARE),
    "margin_right": ("distance to the page's right edge", _SHARE),
    "margin_top": ("distance to the page's top", _SHARE),
    "margin_bottom": ("distance to the page's bottom", _SHARE),
    "centre": ("distance to the page's centre", _SHARE),
    "centre_x": ("distance to the page's centre, across", _SHARE),
    "centre_y": ("distance to the page's centre, down", _SHARE),
    "width": ("width", _SHARE),
    "height": ("height", _SHARE),
    "area": ("area", _SHARE),
    "log_area": ("area in square pixels", _COUNT),
    "log_words": ("number of words", _COUNT),
    "log_words_a_text": ("words in each piece of text", _COUNT),
    "text": ("share of the page's text", _SHARE),
    "text_per_html": ("text in its markup", _SHARE),
    "in_title": ("words that are in the page's title", _SHARE),
    "of_title": ("share of the title's words", _SHARE),
    "log_links": ("number of links", _COUNT),
    "links_per_word": ("links by words", _SHARE),
    "anchor_text": ("text inside links", _SHARE),
    "log_anchor_size": ("characters in each link", _COUNT),
    "intra_site": ("links that stay on the site", _SHARE),
    "log_images": ("number of images", _COUNT),
    "log_depth": ("depth in the page's tree", _COUNT),
    "log_children": ("number of child elements", _COUNT),
    "log_nodes": ("amount of markup, in nodes", _COUNT),
}


def phrase(name: str, value: float) -> tuple[str, float]:
    """Tell a feature of a node in words.

    Parameters
    ----------
    name
        Name of the feature.
    value
        Its value.

    Returns
    -------
    str
        Such as ``text inside links (85%)``.
    float
        The number in it: a share, or a whole number.
    """
    words, unit = _PHRASES[name]
    if unit == _SHARE:
        return f"{words} ({value:.0%})", round(value, 2)
    count = round(math.expm1(min(value, 40.0)))
    return f"{words} ({count:,})", count
