"""Whether a page may have data of products: a fast test before they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.kernels import compiled
from detemplate.page import productsigns_reference, tags
from detemplate.page.columns import CODE

if TYPE_CHECKING:
    from detemplate.page.page import Page

__all__ = ["KERNEL", "product_signs"]

KERNEL: Final[Any] = compiled("detemplate.page._productsigns")
"""The kernel; None where it was not compiled."""

_META: Final = tags.IDS["meta"]
"""Number of tag ``meta``."""


def product_signs(page: Page) -> bool:
    """Tell whether a page may have data of products.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    bool
        False only if :func:`~detemplate.page.productdata.product_data` finds nothing.
    """
    columns = page.columns
    kernel = productsigns_reference if KERNEL is None else KERNEL
    found: bool = kernel.product_signs(
        page.canonical, columns.kind, columns.tag, columns.start, columns.stop, CODE, _META
    )
    return bool(found)
