"""Reading a stream in a thread of its own, so that results need not wait for the next page to arrive."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ITEMS: Final = 64
"""Items that are read ahead."""

_END: Final = object()
"""Follows the last item."""


class Ahead:
    """An iterable's items, read ahead by a thread; iterated once.

    Parameters
    ----------
    items
        The items. An error that they raise is raised again in its place.

    Attributes
    ----------
    bell
        A socket that becomes readable when an item has come; :meth:`heard` makes it silent.
    """

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items
        self._queue: queue.Queue[Any] = queue.Queue(_ITEMS)
        self.bell, self._rope = socket.socketpair()
        self.bell.setblocking(False)
        self._rope.setblocking(False)
        self._thread: threading.Thread | None = None

    @property
    def ready(self) -> bool:
        """Whether the next item, or the end, is there."""
        self._start()
        return not self._queue.empty()

    def heard(self) -> None:
        """Make the bell silent."""
        with contextlib.suppress(BlockingIOError):
            while self.bell.recv(4096):
                pass

    def __iter__(self) -> Iterator[Any]:
        """Give the items; wait for those that have not come yet."""
        self._start()
        while (item := self._queue.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            yield item

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, daemon=True)
            self._thread.start()

    def _read(self) -> None:
        last: Any = _END
        try:
            for item in self._items:
                self._put(item)
        except BaseException as error:  # noqa: BLE001  # raised again where the items are used
            last = error
        self._put(last)

    def _put(self, item: Any) -> None:  # noqa: ANN401
        self._queue.put(item)
        with contextlib.suppress(BlockingIOError):  # it is ringing already
            self._rope.send(b"\0")
