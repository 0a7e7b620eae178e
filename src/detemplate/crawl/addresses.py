"""A resolver of host names that gives public addresses only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from scrapy.resolver import HostResolution
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from detemplate.crawl.publicaddress import is_public

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.internet.interfaces import IAddress, IHostResolution

REFUSED: Final[str] = "DETEMPLATE_REFUSED_HOSTS"
"""Name of the setting that holds the set of host names that were refused."""


@implementer(IHostnameResolver)
class PublicResolver:
    """Resolves names as the reactor does; a name with any other than public addresses has none.

    What was checked is what is connected to, whatever the name's server says next. Addresses that stand in
    URLs come here, too.

    Parameters
    ----------
    reactor
        The reactor.
    refused
        Takes the names that were refused.
    """

    def __init__(self, reactor: Any, refused: set[str]) -> None:  # noqa: ANN401  # reactors have no common type
        self._reactor = reactor
        self._inner = reactor.nameResolver
        self._refused = refused

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:  # noqa: ANN401
        """Make it, as Scrapy does."""
        return cls(reactor, crawler.settings.get(REFUSED))

    def install_on_reactor(self) -> None:
        """Let the reactor use it."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802  # the interface's names
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        """Resolve a name."""
        checking = _Checking(resolutionReceiver, hostName, self._refused)
        return self._inner.resolveHostName(checking, hostName, portNumber, addressTypes, transportSemantics)  # type: ignore[no-any-return]


@implementer(IResolutionReceiver)
class _Checking:
    """Passes addresses on when all are known and public."""

    def __init__(self, receiver: Any, name: str, refused: set[str]) -> None:  # noqa: ANN401
        self._receiver = receiver
        self._name = name
        self._refused = refused
        self._addresses: list[Any] = []

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution or HostResolution(self._name))

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        if all(is_public(str(address.host)) for address in self._addresses):
            for address in self._addresses:
                self._receiver.addressResolved(address)
        else:
            self._refused.add(self._name)
        self._receiver.resolutionComplete()
