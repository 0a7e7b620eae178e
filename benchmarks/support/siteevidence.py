"""The gate on the site stage: what method auto learns from other pages of a site must not make it worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lab.labelled.catalogue import SITES
from lab.labelled.measure import Method

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.labelled.measure import Figures
    from lab.labelled.pages import LabelledSet

BY_SITE: Final = Method("auto")
"""The method with its defaults."""
BY_PAGE: Final = Method("auto", (("evidence", "page"),))
"""The same method, which judges each page by itself."""
SEVERAL_PAGES: Final = ("cleanportaleval", "dragnet-hosts", "daniel-test", "records-test", "l3s-gn1")
"""Sets with several pages a site; the test sites have them, too."""
MOST_LOSS: Final = 0.002
"""Most that F1 may be lower with the site's other pages than without them."""
_EPSILON: Final = 1e-9
"""Added to it, as the difference is of binary fractions."""


def has_several_pages(labelled: LabelledSet) -> bool:
    """Tell whether both methods are compared on a set."""
    return labelled.name in SEVERAL_PAGES or (labelled.kind == "site" and labelled.part == "test")


def compare(by_site: Mapping[str, Figures], by_page: Mapping[str, Figures]) -> tuple[list[str], list[str]]:
    """Compare F1 with and without the other pages of the site."""
    lines, failures = [], []
    for name in by_site:
        whole = name in SEVERAL_PAGES or name == f"{SITES}/test"
        if name in by_page and (whole or name.partition("/")[0] in SEVERAL_PAGES):
            with_site, alone = by_site[name].means["f1"].mean, by_page[name].means["f1"].mean
            line = f"{name} f1: {with_site:.4f} with the site, {alone:.4f} by the page alone"
            lines.append(line)
            if whole and alone - with_site > MOST_LOSS + _EPSILON:
                failures.append(line)
    return lines, failures
