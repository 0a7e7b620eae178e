"""Canonical URLs: one form for all ways to write the address of a page.

No library does this: ``w3lib.url.canonicalize_url`` sorts the query's parameters and keeps default ports;
``url_normalize`` joins double slashes and drops empty parameters. Both change what some servers answer.
``urllib.parse.urljoin`` does not resolve as browsers do (backslashes, ``http:path``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

import xxhash

LONGEST: Final = 8192
"""Characters of a URL; longer ones are no page's address, since servers refuse them."""

# Characters of a URL; the canonical form of longer ones is not cached, to bound the memory.
_CACHED: Final = 512

_PORTS: Final = {"http": "80", "https": "443"}  # default ports by scheme

# Characters that browsers strip from the ends of a URL: controls and the space.
_STRIPPED: Final = "".join(map(chr, range(33)))

_DROPPED: Final = str.maketrans("", "", "\t\n\r")  # drops the characters that browsers drop from within a URL
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")  # scheme at the beginning of a URL (group 1)

# An absolute URL: scheme, authority, path and query (groups 1 to 4). The fragment is left out.
_PARTS: Final = re.compile(r"([a-z]+)://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.DOTALL)

# A host name or an IPv6 address in brackets (group 1), and the port (group 2).
_HOST: Final = re.compile(r"([^\x00- \"#%/:<>?@\[\\\]^`{|}\x7f]+|\[[0-9a-f:.]+\])(?::([0-9]*))?")

# Characters that are never escaped (RFC 3986, section 2.3).
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# An escape, or a character that must be escaped in a path or a query.
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]")

# A URL that is canonical if it has no dot segment.
_PLAIN: Final = re.compile(
    r"https?://[a-z0-9.-]*[a-z0-9]/[A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]]*(?:\?[A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]+)?"
)

_DOTS: Final = re.compile(r"/\.\.?(?:/|$)")  # a dot segment of a path: ``.`` or ``..``


def canonical_url(url: str) -> str | None:
    """Give the canonical form of a page's absolute URL.

    ``url``: an absolute ``http``, ``https`` or ``file`` URL.
    Returns: ASCII. Scheme and host are in lower case, the host in Punycode and without a final dot. There is
        no default port, no user name, no fragment and no empty query. Dot segments are resolved; an empty
        path is ``/``. Only characters that need it are escaped, as UTF-8 and in upper case. Parameters keep
        their order. The canonical form of a canonical URL is itself. None: no such URL, or one longer than
        :data:`LONGEST`.
    """
    return resolve("", url)


def page_key(url: str) -> int:
    """Give the key of the page at a URL: XXH64 of the canonical URL, as a signed 64-bit number.

    A text that has no canonical form is hashed as it is.
    """
    canonical = canonical_url(url)
    return signed_key(url if canonical is None else canonical)


def signed_key(text: str) -> int:
    """Give XXH64 of a text in UTF-8, as a signed 64-bit number."""
    key = xxhash.xxh64_intdigest(text.encode("utf-8", "surrogatepass"))
    return key - (1 << 64) if key >> 63 else key


def resolve(base: str, reference: str) -> str | None:
    """Resolve a reference on a page to a canonical URL.

    ``base``: canonical URL that relative references start from; empty if there is none.
    ``reference``: the value of an ``href``, unescaped.
    Returns: None: no address of a page (``mailto:``, ``javascript:``, ``data:``, …), a ``file:`` URL on a
        page that is no file, or a relative reference without a base.
    """
    if len(reference) > 4 * LONGEST:
        return None
    reference = reference.strip(_STRIPPED).translate(_DROPPED)
    scheme = _SCHEME.match(reference)
    if scheme:
        name, rest = scheme[1].lower(), reference[scheme.end() :]
        if name == "file":
            if base and not base.startswith("file:"):
                return None
            return _canonical(f"file://{rest[2:]}" if _slashed(rest[:2]) == "//" else f"file:///{rest}")
        if name not in _PORTS:
            return None
        if rest[:1] in ("/", "\\") or not base.startswith(f"{name}:"):
            return _canonical(f"{name}://" + rest.lstrip("/\\"))
        reference = rest  # a browser reads http:path on an http page as a path
    return _canonical(_joined(base, reference)) if base else None


def _joined(base: str, reference: str) -> str:
    """Join a canonical URL and a reference without a scheme."""
    start = _slashed(reference[:2])
    if start == "//":
        return base[: base.index(":") + 1] + "//" + reference[2:]
    path = base.partition("?")[0]
    if start[:1] == "/":
        return path[: path.index("/", path.index("//") + 2)] + reference
    if start[:1] in ("", "#"):
        return base
    if start[:1] == "?":
        return path + reference
    return path[: path.rindex("/") + 1] + reference


def _slashed(text: str) -> str:
    return text.replace("\\", "/")


def _canonical(url: str) -> str | None:
    # Most links of a page are on the page before, too.
    return _form(url) if len(url) <= _CACHED else _form.__wrapped__(url)


@lru_cache(maxsize=1 << 15)
def _form(url: str) -> str | None:
    """Give the canonical form of an absolute URL with a lower-case scheme."""
    if _PLAIN.fullmatch(url) and "/." not in url and len(url) <= LONGEST:
        return url
    if "\\" in url:
        stop = min((at for at in (url.find("?"), url.find("#")) if at >= 0), default=len(url))
        url = _slashed(url[:stop]) + url[stop:]
    parts = _PARTS.match(url)
    if parts is None:
        return None
    scheme, netloc, path, query = parts.groups()
    host = _host(scheme, netloc)
    if host is None:
        return None
    path = _without_dots(_ESCAPED.sub(_escape, path)) or "/"
    canonical = f"{scheme}://{host}{path}" + (f"?{_ESCAPED.sub(_escape, query)}" if query else "")
    return canonical if len(canonical) <= LONGEST else None


def _host(scheme: str, netloc: str) -> str | None:
    """Give host and port in canonical form; None if they are invalid."""
    netloc = netloc.rpartition("@")[2].lower()
    if "%" in netloc:
        netloc = unquote(netloc).lower()
    if not netloc or netloc == "localhost":
        return netloc if scheme in _PORTS and netloc else "" if scheme == "file" else None
    if not netloc.isascii():
        name, colon, port = (
            netloc.rpartition(":") if netloc[-1:].isdigit() and ":" in netloc else (netloc, "", "")
        )
        try:
            netloc = name.encode("idna").decode().lower() + colon + port
        except UnicodeError:
            return None
    parts = _HOST.fullmatch(netloc)
    if parts is None:
        return None
    name, port = parts[1].rstrip("."), (parts[2] or "").lstrip("0")
    if not name or len(port) > 5:
        return None
    return f"{name}:{port}" if port and port != _PORTS.get(scheme) else name


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) == 3:
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _without_dots(path: str) -> str:
    """Resolve ``.`` and ``..`` in an absolute path; double slashes stay."""
    if not _DOTS.search(path):
        return path
    kept: list[str] = []
    parts = path[1:].split("/")
    for number, part in enumerate(parts, 1):
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
            continue
        if number == len(parts):
            kept.append("")
    return "/" + "/".join(kept)
