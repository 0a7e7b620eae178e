"""Links and images, before turbohtml renders them.

turbohtml joins relative addresses with a base as strings, keeps links without text and to scripts, and reads
the address of an image from ``src`` alone.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from turbohtml import Element, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import turbohtml

    from detemplate.page.page import Page

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")  # scheme of an absolute address (group 1)

# Matches the beginning of a path, or of the address of a file: neither is ever written.
_LOCAL: Final = re.compile(r"(?!(?!file:)[A-Za-z][A-Za-z0-9+.-]+:)", re.IGNORECASE)

# An absolute address in which nothing is to be changed.
_WHOLE: Final = re.compile(r"https?://[!-Z\\^-~]{1,2000}")

# An address of a letter or a call in which nothing is to be changed.
_CALL: Final = re.compile(r"(?:mailto|tel):[\w@.+-]+", re.ASCII)

# A relative address: a way up or to the page itself (group 1), and the rest, which stays (group 2).
_RELATIVE: Final = re.compile(
    r"(#|/|(?:\.\.?/)*)"
    r"((?<=#)[!-~]+|[\w~%+,=@!$&'()*-][\w~%+,=@!$&'()*./-]*(?:\?[!\"$->@-~]+)?(?:#[!-~]+)?)",
    re.ASCII,
)

# Schemes of links that lead nowhere a reader can go.
_NO_TARGET: Final = frozenset(("javascript", "vbscript", "data", "blob", "about", "file"))

# Drops the characters that browsers drop from within an address.
_DROPPED: Final = str.maketrans("", "", "\t\n\r")

_UNSEEN: Final = ("script", "style", "svg", "noscript", "template")  # elements with text that is not shown

# Scheme of an address that no reader has an image at.
_FOREIGN: Final = re.compile(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:")

_CONTROLS: Final = "".join(map(chr, range(33)))  # characters that browsers strip from the ends of an address
_LONGEST: Final = 4096  # most characters of an address
_ANCHORS: Final = frozenset(("¶", "#", "§", "🔗", "⚓", "\u200b"))  # texts of links from a heading to itself
_SHORT: Final = 4  # most characters of such a text

# Attributes from which scripts fill ``src`` when an image comes into view, and ``src``.
_SOURCES: Final = (
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-orig-src",
    "data-lazy",
    "data-lazyload",
    "data-image",
    "data-echo",
    "data-url",
    "src",
)

_TINY: Final = ("0", "1", "2", "3")  # widths and heights of images that measure visits or part others

# A style that shows no image, unless a script changes it.
_HIDDEN: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:left|top)\s*:\s*-\d{3}", re.IGNORECASE
)

_LEVELS: Final = 4  # elements around an image of which one may be ``noscript``

# The name of a picture's file; that of one that only takes room.
_PICTURE: Final = re.compile(r"\.(?:avif|bmp|jpe?g|png|svg|webp)(?!\w)", re.IGNORECASE)
_ROOM: Final = re.compile(r"(?:1x1|blank|clear|dot|pixel|shim|spacer|trans|transparent)\.gif$", re.IGNORECASE)

# Attributes with several addresses of one image.
_SOURCE_SETS: Final = ("data-srcset", "data-lazy-srcset", "srcset")


# Selects images with another of the former attributes than ``src``.
_LAZY: Final = ", ".join(f"img[{name}]" for name in _SOURCES if name != "src")


class Addresses:
    """Resolves the addresses on a page against its URL and ``base`` element.

    ``document``, ``page``: the DOM, and the page that it is from.
    ``base``: whether the page may have such an element.
    """

    def __init__(self, document: turbohtml.Document, page: Page, *, base: bool = True) -> None:
        url = "" if _LOCAL.match(page.url) else page.url
        self._folders: dict[str, str] = {}  # by the way up
        self._base = url
        if base:
            with suppress(ValueError):
                self._base = document.base_url(url) or url
            if _LOCAL.match(self._base):
                self._base = ""
        try:
            parts = urlsplit(self._base)
        except ValueError:
            self._base, parts = url, urlsplit("")
        self._root = f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""

    def resolve(self, written: str) -> str:
        """Give the absolute form of an address; empty for one that leads nowhere."""
        if written.startswith("http") and _WHOLE.fullmatch(written):
            return written
        if (
            self._root
            and len(written) <= _LONGEST
            and (found := _RELATIVE.fullmatch(written))
            and "//" not in written
            and "/." not in found[2]
        ):
            return self._folder(found[1]) + found[2]
        return "" if len(written) > _LONGEST else self._resolve(written.strip(_CONTROLS))

    def _folder(self, way: str) -> str:
        """Give what simple addresses are put behind that begin with a way up, such as ``../``."""
        folder = self._folders.get(way)
        if folder is None:
            folder = self._folders[way] = urljoin(self._base, f"{way}x")[:-1]
        return folder

    def _resolve(self, address: str) -> str:
        if not address.isprintable():
            address = address.translate(_DROPPED)
        if self._root and address[:1] == "/" and address[1:2] not in ("/", "\\") and "/." not in address:
            return self._root + address
        if _WHOLE.fullmatch(address) or _CALL.fullmatch(address):
            return address
        scheme = _SCHEME.match(address)
        if scheme and scheme[1].lower() in _NO_TARGET:
            return ""
        try:
            return urlsplit(address).geturl() if scheme else urljoin(self._base, address)
        except ValueError:
            return ""


def drop_anchors(document: turbohtml.Document) -> None:
    """Take the links from headings to themselves out of a DOM."""
    for link in document.select('a[href*="#"]'):
        if _is_sign(link):
            link.decompose()


def _is_sign(link: Element) -> bool:
    return len(text := link.text) <= _SHORT and text.strip() in _ANCHORS


def write_links(links: Iterable[Element], addresses: Addresses, *, drawings: bool = True) -> None:
    """Make the links of a DOM absolute; those without text or target become their content.

    ``links`` are its elements ``a``; those that are not in it any more are passed by. ``drawings`` says
    whether the DOM has elements that are no text of a link (:data:`_UNSEEN`).
    """
    resolved: dict[str, str] = {}
    resolve = addresses.resolve
    for link in links:
        href = link.attr("href")
        if href is None or link.parent is None:
            continue
        address = resolved.get(href)
        if address is None:
            address = resolved[href] = resolve(href)
        if not address:
            link.unwrap()
            continue
        if address != href:
            link.attrs["href"] = address
        text = link.text
        if drawings and next(link.iter_elements(_UNSEEN), None) is not None:
            text = link.to_text()
        if len(text) <= _SHORT or text[0].isspace():
            text = text.strip()
            if not text and next(link.iter_elements("img"), None) is None:
                link.unwrap()
            elif text in _ANCHORS and "#" in href:
                link.decompose()


def write_images(
    document: turbohtml.Document, images: Sequence[Element], addresses: Addresses, *, as_text: bool = False
) -> None:
    """Give the images of a DOM their absolute addresses; those without go, and those that show nothing.

    ``images`` are all of them. ``as_text`` replaces them by ``![description](address)``.
    """
    last, gone = "", list[Element]()  # taken out in the end: others are told by what stands beside them
    lazy = bool(images) and document.select_one(_LAZY) is not None
    for image in images:
        source = None if lazy else image.attr("src")
        if source and not source.startswith("data:") and not _FOREIGN.match(source):
            address = addresses.resolve(source)
        else:
            address = ""
        address = address or _source(image, addresses)
        if not address or address == last or _shows_nothing(image, address, lazy=lazy):
            gone.append(image)
            continue
        last = address
        if as_text:
            description = " ".join((image.attr("alt") or "").split())
            image.replace_with(Text(f"![{description}]({address})"))
            continue
        if address != image.attr("src"):
            image.attrs["src"] = address
        written = image.attr("alt")
        if written and "\n" in written:
            image.attrs["alt"] = " ".join(written.split())
    for image in gone:
        image.decompose()


def _shows_nothing(image: Element, address: str, *, lazy: bool) -> bool:
    """Tell whether an image measures visits or takes room: tiny, hidden, or in ``noscript`` and no file.

    ``lazy``: whether scripts may show images of the page that are hidden.
    """
    if image.attr("width") in _TINY or image.attr("height") in _TINY:
        return True
    if address.endswith(".gif") and _ROOM.search(address):
        return True
    style = None if lazy else image.attr("style")
    if style and not image.attr("alt") and _HIDDEN.search(style):
        return True
    above = None if _PICTURE.search(address) else image.parent
    for _ in range(_LEVELS):
        if isinstance(above, Element) and above.tag == "noscript":
            beside = (above.previous_sibling, above.next_sibling)
            return not any(isinstance(node, Element) and node.tag == "img" for node in beside)
        above = None if above is None else above.parent
    return False


def restore_images(document: turbohtml.Document, page: Page) -> bool:
    """Make images of those of AMP, which has its own elements; tell whether there are any."""
    if b"<amp-" not in page.canonical:
        return False
    found = document.select("amp-img, amp-anim")
    for image in found:
        image.replace_with(Element("img", {name: image.attr(name) or "" for name in image.attrs}))
    return bool(found)


def _source(image: Element, addresses: Addresses) -> str:
    """Give the absolute address of an image: what scripts fill in, ``src``, or the largest of a set."""
    for name in _SOURCES:
        one = image.attr(name)
        if one and not one.startswith("data:"):
            address = addresses.resolve(one)
            if address and not _FOREIGN.match(address):
                return address
    above = image.parent
    beside = above.select("source") if isinstance(above, Element) and above.tag == "picture" else []
    for place in (image, *beside):
        for name in _SOURCE_SETS:
            address = _largest(place.attr(name) or "", addresses)
            if address:
                return address
    return ""


def _largest(candidates: str, addresses: Addresses) -> str:
    """Give the address of the largest of the images of a ``srcset``."""
    if len(candidates) > 16 * _LONGEST:
        return ""
    best, size = "", -1.0
    for part in candidates.split(", "):
        words = part.strip(" ,\n\t").split()
        if not words or words[0].startswith("data:"):
            continue
        try:
            width = float(words[1].rstrip("wx")) if len(words) > 1 else 0.0
        except ValueError:
            width = 0.0
        if width > size:
            best, size = words[0], width
    return addresses.resolve(best) if best else ""
