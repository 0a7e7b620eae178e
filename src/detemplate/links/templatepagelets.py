"""The template pagelets of a base set (Bar-Yossef & Rajagopalan 2002, section 3.2, figure 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.errors import UserError

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.links.baseset import BaseSet

WAYS: Final = ("local", "stored")
"""Ways to know template pagelets: the local algorithm on the base set, or the crawl's stored table."""


def check_way(templates: str, has_stored: bool, ways: tuple[str, ...] = WAYS) -> None:
    """Raise :class:`~detemplate.errors.UserError` if a way to know template pagelets is not available."""
    if templates not in ways:
        raise UserError(f"templates cannot be {templates!r}: take one of {', '.join(ways)}")
    if templates == "stored" and not has_stored:
        raise UserError(
            "the crawl has no table 'template_pagelets': make it with 'detemplate templates --save'"
        )


def template_pagelets(base: BaseSet, templates: str = "local") -> npt.NDArray[np.bool_]:
    """Return which pagelets of a base set are template.

    Parameters
    ----------
    base
        The base set.
    templates
        ``"local"``: the local algorithm, which the paper uses on base sets (section 5). A shingle on two or
        more pages, duplicates counted once, makes its pagelets template. ``"stored"``: the pagelets in the
        crawl's table ``template_pagelets``.

    Returns
    -------
    array of bool
        One per pagelet. Pagelets of duplicate pages are template by their shingles, too.

    Raises
    ------
    UserError
        ``templates`` is unknown, or the crawl has no stored templates.
    """
    check_way(templates, base.has_templates)
    if templates == "stored":
        return base.stored
    return recurring(base.pagelet_shingles, base.has_shingle, base.owners, base.shingles)


def recurring(
    shingles: npt.NDArray[np.int64],
    has_shingle: npt.NDArray[np.bool_],
    owners: npt.NDArray[np.int64],
    page_shingles: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """Return which pagelets share their shingle with a pagelet of another page that is no duplicate.

    Parameters
    ----------
    shingles, has_shingle, owners
        Shingle of each pagelet, whether it has one, and the number of its page.
    page_shingles
        Shingle of each page. Pages with one shingle are duplicates and count as one page.

    Returns
    -------
    array of bool
        One per pagelet.
    """
    # Counting page shingles instead of pages counts duplicates once.
    _, contents = np.unique(page_shingles, return_inverse=True)
    _, groups = np.unique(shingles, return_inverse=True)
    width = len(page_shingles) + 1
    pairs = np.unique(groups[has_shingle] * width + contents[owners[has_shingle]])
    pages = np.bincount(pairs // width, minlength=len(shingles))
    return np.asarray(has_shingle & (pages[groups] >= 2), np.bool_)


def template_share(base: BaseSet, templates: str = "local") -> float:
    """Return the share of a base set's crawled pages that have a template pagelet (the paper's table 2)."""
    holders = np.unique(base.owners[template_pagelets(base, templates)])
    crawled = int(np.count_nonzero(base.crawled))
    return len(holders) / crawled if crawled else 0.0
