"""A resolver of host names that gives public addresses only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.resolver import CachingHostnameResolver, dnscache
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from detemplate.crawl.publicaddress import is_public

if TYPE_CHECKING:
    from twisted.internet.interfaces import IAddress, IHostResolution


class PublicResolver(CachingHostnameResolver):
    """Scrapy's resolver without addresses that are not public.

    What was checked is what is connected to, whatever the name's server says next. Addresses that stand in
    URLs come here, too.
    """

    def resolveHostName(  # noqa: N802  # the interface's names
        self,
        resolutionReceiver: Any,  # noqa: ANN401, N803  # an IResolutionReceiver
        *args: Any,  # noqa: ANN401
        **given: Any,  # noqa: ANN401
    ) -> IHostResolution:
        """Resolve a name."""
        checking: Any = _PublicOnly(resolutionReceiver)
        return super().resolveHostName(checking, *args, **given)


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes public addresses on."""

    def __init__(self, receiver: Any) -> None:  # noqa: ANN401
        self._receiver = receiver
        self.resolutionBegan = receiver.resolutionBegan
        self.resolutionComplete = receiver.resolutionComplete

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public(str(address.host)):
            self._receiver.addressResolved(address)


def is_private(url: str) -> bool:
    """Tell whether a URL's host is known to have addresses, but no public one."""
    host = urlsplit(url).hostname or ""
    try:
        return not is_public(host)
    except ValueError:  # a name
        found = dnscache.get(host) or ()
        return host == "localhost" or (bool(found) and not any(is_public(str(one.host)) for one in found))
