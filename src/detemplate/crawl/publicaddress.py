"""Which IP addresses are public; imports nothing of Scrapy."""

from __future__ import annotations

import ipaddress
from typing import Final


def is_public(address: str) -> bool:
    """Tell whether an IP address is a public one: not of this machine, nor of a private network."""
    found = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    if inner is None and isinstance(found, ipaddress.IPv6Address) and found in _TRANSLATED:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found.is_global and not found.is_multicast and (inner is None or is_public(str(inner)))


_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for IPv4 addresses (RFC 6052)."""
