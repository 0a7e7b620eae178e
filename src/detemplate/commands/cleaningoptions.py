"""Options of the commands that clean pages, each defined once."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.output.options import Images, Links, Tables

Formats = Annotated[
    list[str] | None,
    Option(
        "--format",
        "-f",
        metavar="FORMAT",
        show_default="by the output's name, else text",
        help="text (txt), markdown (md) or html; several, joined by commas, for several columns.",
    ),
]
KeepScripts = Annotated[
    bool,
    Option("--keep-scripts", help="Leave scripts, style sheets and event handlers in HTML."),
]
Sanitize = Annotated[
    bool,
    Option("--sanitize", help="Write HTML as a fragment that is harmless inside of other pages."),
]
HowLinks = Annotated[
    Links | None,
    Option(
        "--links",
        show_default="none in text, inline in Markdown",
        help="Addresses of links: none, inline behind their texts, or by reference at the end.",
    ),
]
HowImages = Annotated[
    Images | None,
    Option(
        "--images",
        show_default="none in text, inline in Markdown",
        help="Images: none, their descriptions (alt), or inline with their addresses.",
    ),
]
HowTables = Annotated[
    Tables | None,
    Option(
        "--tables",
        show_default="tsv in text, markdown in Markdown",
        help="Tables of data: none, cells between tabs (tsv), or between bars (markdown).",
    ),
]
Explain = Annotated[
    bool,
    Option("--explain", help="Write what was removed from each page, its score and the reason."),
]
WhichMetadata = Annotated[
    str,
    Option(
        "--metadata",
        help="basic: write the page's title, author, days, language and more; none: do not.",
    ),
]
Threshold = Annotated[
    float | None,
    Option(metavar="X", help="Remove what scores above X (default: the method's own)."),
]
Keep = Annotated[
    list[str] | None,
    Option(
        "--keep",
        metavar="CSS",
        help="Keep what the selector matches, whatever the scores say; HOST##CSS: on one host; @FILE: a file "
        "of these. Repeatable.",
    ),
]
Drop = Annotated[
    list[str] | None,
    Option(
        "--drop",
        metavar="CSS",
        help="Remove what the selector matches, as for --keep. Of both, the inner element decides.",
    ),
]
Log = Annotated[
    str | None,
    Option(metavar="FILE", help="Tell in FILE how the run goes: a JSON line every 30 seconds."),
]
EverySkip = Annotated[
    bool,
    Option(
        "--every-skip",
        help="List in --rejects all that was skipped: also duplicates, redirects, other media types.",
    ),
]
