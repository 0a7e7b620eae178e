"""One or more sites in a file: what their templates are, and how they are spread over pages and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.report.htmlfile import html_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAMED: Final = 3  # sites that the title names


def site_report(
    sites: Sequence[Mapping[str, Any]],
    *,
    title: str | None,
    method: str,
    skipped: Mapping[str, int],
    from_store: bool,
    unlisted: int = 0,
) -> str:
    """Write the file.

    ``sites``: one a site: ``site``, ``pages``, ``share`` (mean share of template; None: not known),
        ``first`` and ``last`` (dates, may be empty). Those that are shown in detail also have ``cards``,
        ``points`` and ``redesigns``. Unless they are from a store, they have what
        :func:`~detemplate.report.reporting.page_counts` gives.
    ``title``: what the report is about; None: the sites.
    ``method``: name of the method.
    ``skipped``: number of records that were left out, by reason.
    ``from_store``: whether the sites are from a store, which does not know single pages.
    ``unlisted``: number of sites that the report leaves out.
    Returns: the HTML.
    Raises MissingExtra: jinja is not installed.
    """
    pages = sum(each["pages"] for each in sites)
    seen = [each for each in sites if each["share"] is not None]
    weight = sum(each.get("seen", each["pages"]) for each in seen)
    share = sum(each.get("seen", each["pages"]) * each["share"] for each in seen) / weight if weight else None
    return html_file(
        "report.html",
        ("common.css", "report.css"),
        "report.js",
        {"sites": list(sites), "store": from_store},
        title=title or _names(sites, len(sites) + unlisted),
        method=method,
        pages=pages,
        share=share,
        sites=len(sites),
        unlisted=unlisted,
        skipped=sorted(skipped.items(), key=lambda item: -item[1]),
        from_store=from_store,
    )


def _names(sites: Sequence[Mapping[str, Any]], count: int) -> str:
    """Name the sites, the first few of many."""
    names = [each["site"] for each in sites[:_NAMED] if each["site"] not in {"", "file:"}]
    if not names:
        return "pages without URLs"
    return ", ".join(names) + (f" and {count - len(names):,} more" if count > len(names) else "")
