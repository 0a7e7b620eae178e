"""The names of the segment features, in order; what each is about; and the marks of tags that they count.

``docs/segment-features.md`` defines every name. The compiled kernel has the same columns in
``_segment_columns.pxd``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

LEVELS: Final = 6
"""Number of groups around a text that are described, nearest first."""

AROUND: Final = (
    "a", "p", "li", "nav", "header", "footer", "aside", "main", "article", "form", "table", "figure",
    "figcaption", "pre", "button", "option", "blockquote", "span", "heading",
)  # fmt: skip
"""Elements that are counted around a text: tag names, ``figcaption`` for ``caption``, too, and ``heading``
for ``h1`` to ``h6``."""

TARGETS: Final = 3
"""Number of nodes that may hold the page's content."""

WINDOWS: Final = (3, 8, 20, 60)
"""Reach of the windows around a block: blocks on either side."""

LONG_WINDOWS: Final = WINDOWS[2:]
"""Windows in which long text is measured, too."""

_TEXT: Final = (
    "chars", "words", *(f"in_{name}" for name in AROUND), "in_hidden", "in_aria_hidden", "hidden_steps",
    "digit_share", "capital_share", "sentence_marks", "chars_per_word", "depth",
)  # fmt: skip

_PLACE: Final = (
    "position", "chars_before", "chars_to_end", "rank", "segments_before", "segments_to_end", "byte_position",
)  # fmt: skip

_COHORT: Final = (
    "count", "text_share", "mean_chars", "long_share", "mean_sentence_marks", "spread",
    "segments_since_first",
)  # fmt: skip

_RUNS: Final = ("link_run", "short_run")

_PARENTS: Final = (
    "parent_tag", "parent_repeats", "parent_chars", "grandparent_tag", "grandparent_repeats",
)  # fmt: skip

_GROUP: Final = (
    "tag", "chars", "text_share", "link_density", "links", "links_per_word", "text_per_byte", "segments",
    "chars_per_segment", "prose_share", "prose_chars", "commas", "sentence_marks_per_word", "digit_share",
    "media", "inputs", "headings", "paragraphs", "items", "elements", "start", "end", "depth", "children",
    "share_of_parent", "repeats", "long_share",
)  # fmt: skip

_TARGET: Final = ("inside", "distance", "steps", "meeting_share")

_BEST_TARGET: Final = (
    "target0_text_share", "target0_link_density", "target0_depth_below", "target0_score_share",
)  # fmt: skip

_BLOCK: Final = (
    *(
        f"{block}_{name}"
        for block in ("block", "previous_block", "next_block")
        for name in ("chars", "link_density")
    ),
    "block_sentence_marks", "block_words", "block_segments",
    *(
        f"window{window}_{name}"
        for window in WINDOWS
        for name in (("net_chars", "long_chars") if window in LONG_WINDOWS else ("net_chars",))
    ),
    "long_text_before",
)  # fmt: skip

_HEADING: Final = (
    "heading_tag", "heading_distance", "heading_number", "heading_link_density",
    "h1_distance", "h1_count", "h1_steps", "h1_meeting_share",
)  # fmt: skip

_PAGE: Final = (
    "chars", "segments", "link_density", "prose_share", "links", "media", "items", "headings",
    "text_per_byte", "inputs", "long_chars", "long_share", "largest_slot_share", "sentence_marks_per_char",
    "forms", "mains", "articles", "chars_per_word", "digit_share", "code_bytes", "hidden_share",
)  # fmt: skip

_VOCABULARY: Final = ("sum", "least", "most", "nearest", "second", "third", "elements")

NAMES: Final[tuple[str, ...]] = (
    *_TEXT,
    *_PLACE,
    *(f"{cohort}_{name}" for cohort in ("path", "slot") for name in _COHORT),
    "copies",
    *_RUNS,
    *_PARENTS,
    *(f"group{level}_{name}" for level in range(LEVELS) for name in _GROUP),
    *(f"target{number}_{name}" for number in range(TARGETS) for name in _TARGET),
    *_BEST_TARGET,
    *_BLOCK,
    *_HEADING,
    *(f"page_{name}" for name in _PAGE),
    *(f"vocabulary_{name}" for name in _VOCABULARY),
)
"""Names of the segment features, in the order of the columns."""

_ABOUT: Final = (
    ("the words of classes around it", r"vocabulary_.*"),
    ("the elements around it", r"in_.*|hidden_steps|depth|parent_.*|grandparent_.*"),
    ("its distance to running text", r"target\d_.*"),
    ("what it is grouped with", r"group\d_.*"),
    ("the texts like it", r"(path|slot)_.*|copies"),
    ("the page as a whole", r"page_.*|h1_count"),
    ("the blocks near it", r"(previous_|next_)?block_.*|window\d+_.*|long_text_before|(link|short)_run"),
    ("the headings near it", r"heading_.*|h1_.*"),
    ("its place", r"position|chars_(before|to_end)|rank|segments_.*|byte_position"),
    ("its text", r".*"),
)
"""What features are about, and a pattern of their names. The first pattern that matches counts."""

FEATURE_GROUPS: Final[tuple[str, ...]] = tuple(
    next(about for about, pattern in _ABOUT if re.fullmatch(pattern, name)) for name in NAMES
)
"""What each feature is about, in words, one a name. Explanations quote it."""

LINK, PROSE, ITEM, MEDIA, INPUT, HEADING, GROUP = (1 << bit for bit in range(7))
"""Flags of tags. ``PROSE`` is a paragraph, ``ITEM`` a list item, ``GROUP`` a grouping element."""

AROUND_BITS: Final = 8
"""Bits of a mark below its number in :data:`AROUND`."""

_GROUPS: Final = (
    "div section article main aside nav header footer ul ol dl table tbody tr td th form body li blockquote "
    "figure center dd dt"
)

_HEADINGS: Final = "h1 h2 h3 h4 h5 h6"

_FLAGGED: Final = {
    LINK: "a",
    PROSE: "p",
    ITEM: "li",
    MEDIA: "img picture svg video iframe",
    INPUT: "input button select textarea form option label",
    HEADING: _HEADINGS,
    GROUP: _GROUPS,
}

_AROUND: Final = {"figcaption": "figcaption caption", "heading": _HEADINGS}
H1: Final = tags.IDS["h1"]
"""Number of tag ``h1``."""


def _marks() -> npt.NDArray[np.uint16]:
    """Make a mark for each tag number: its flags, and above them its index in AROUND plus 1, or 0."""
    table = tags.marked(_FLAGGED, np.uint16)
    for number, name in enumerate(AROUND, 1):
        names = _AROUND.get(name, name)
        table[list(tags.numbers(names))] |= number << AROUND_BITS
    # Elements of SVG and MathML have no mark, except that every ``svg`` is a medium.
    table[[tags.IDS["svg"] | namespace for namespace in (tags.IN_SVG, tags.IN_MATH)]] |= MEDIA
    return table


MARKS: Final = _marks()
"""Marks by tag number, 65,536 of them. uint16."""
