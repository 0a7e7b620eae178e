"""Browser layouts: the installed Chromium, driven by Playwright, lays pages out one at a time.

Pages are hostile. Scripts are off, and the network is off unless it is allowed; then a gate keeps it to
public addresses. Each page has a time limit, the browser a memory limit. A browser that hangs or dies is
replaced; only the page is lost.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, PageError, UserError
from detemplate.layout.layout import DEFAULT_HEIGHT, DEFAULT_WIDTH, check_width
from lab.layouts.gate import Gate
from lab.layouts.guard import Guard, kill_group
from lab.layouts.snapshot import layout_of, stamped

if TYPE_CHECKING:
    from typing import Self

    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page

MOST_BYTES: Final = 32 << 20  # largest page that the browser gets, in bytes with row numbers
ENVIRONMENT: Final = "DETEMPLATE_CHROMIUM"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS: Final = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip
"""No GPU, no QUIC, no background traffic, no first-run pages, no scroll bars."""
_OFFLINE: Final = "--host-resolver-rules=MAP * ~NOTFOUND"  # no host name resolves
_ALL_THROUGH: Final = "--proxy-bypass-list=<-loopback>"
"""Connections to this machine, too, go through the proxy."""
_NOWHERE: Final = "http://page.invalid/"
"""Address of a page that is laid out without the network, or that has no address on the web."""
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 5.0  # time limit for the browser's orderly end; then it is killed
_DIED: Final = re.compile(r"crash|connection closed", re.IGNORECASE)
"""Messages of the driver when the browser is gone."""
_WAIT_SHARE: Final = 0.5
"""With the network: share of a page's time after which missing styles, images and frames are not awaited."""


def find_chromium() -> str:
    """Find the Chromium that ``DETEMPLATE_CHROMIUM`` names, else the first of `NAMES` on the path."""
    named = os.environ.get(ENVIRONMENT)
    for name in (named,) if named else NAMES:
        if program := shutil.which(name):
            return program
    if named:
        raise UserError(f"{ENVIRONMENT} names {named!r}, which is no program; correct it or unset it")
    raise UserError(
        "rendering pages needs Chromium or Chrome: install it (for example: apt install chromium), "
        f"or name it in {ENVIRONMENT}"
    )


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """Settings of the browser that lays pages out, with the network off unless it is allowed.

    Width and height in CSS pixels; `memory` in bytes for all processes, shared memory aside (Linux only).
    Pages load styles, images and frames from public addresses only, unless `allow_private`. No scripts run.
    """

    width: int = DEFAULT_WIDTH
    height: int = DEFAULT_HEIGHT
    seconds: float = 10.0
    memory: int = 2 << 30
    allow_network: bool = False
    allow_private: bool = False
    pages_a_browser: int = 500  # then it is replaced, which frees the memory that it has gathered

    def __post_init__(self) -> None:
        check_width(self.width)
        check_width(self.height)
        if not self.seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {self.seconds:g}")
        if self.pages_a_browser < 1:
            raise UserError(f"a browser must serve at least 1 page, not {self.pages_a_browser}")
        if self.allow_private and not self.allow_network:
            raise UserError("private addresses are part of the network: allow it with --allow-network")


class _BrowserDiedError(Exception):
    """The browser has died, and the guard did not end it."""


class LayoutBrowser:
    """Returns the browser layouts of pages; a context manager that starts the browser and ends it."""

    def __init__(self, settings: BrowserSettings | None = None) -> None:
        try:
            from playwright import sync_api
        except ImportError:
            raise MissingExtra("rendering pages", "lab") from None
        self.settings = settings or BrowserSettings()
        self._program = find_chromium()
        self._api = sync_api
        self._driver: Any = None
        self._browser: Any = None
        self._page: Any = None
        self._session: Any = None
        self._guard: Guard | None = None
        self._gate: Gate | None = None
        self._served = 0
        self._body = b""
        self._frame = ""

    @property
    def process(self) -> int | None:
        """Number of the browser's process group; None if no browser is running."""
        return self._guard.group if self._guard is not None else None

    def start(self) -> None:
        """Start the browser, unless it is running; raises UserError if it does not start."""
        if self._guard is not None:
            return
        arguments = [*_ARGUMENTS]
        if not self.settings.allow_network:
            arguments.append(_OFFLINE)
        elif not self.settings.allow_private:
            self._gate = Gate()
            proxy = f"--proxy-server=socks5://127.0.0.1:{self._gate.port}"
            arguments += [proxy, _ALL_THROUGH, f"{_OFFLINE}, EXCLUDE 127.0.0.1"]
        try:
            self._driver = self._api.sync_playwright().start()
            self._browser = self._driver.chromium.launch(
                executable_path=self._program,
                args=arguments,
                chromium_sandbox=os.geteuid() != 0,  # Chromium refuses root with its sandbox
                timeout=_START_SECONDS * 1000,
            )
            answer = self._browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
            number = next(item["id"] for item in answer["processInfo"] if item["type"] == "browser")
            self._guard = Guard(int(number), self.settings.memory)
            with self._guard.limit(_START_SECONDS):
                self._open()
        except Exception as error:  # a driver that dies raises other errors than Playwright's
            why = (self._guard.reason if self._guard is not None else "") or _first_line(error)
            self.stop()
            raise UserError(f"{self._program} does not start: {why}") from error

    def stop(self) -> None:
        """End the browser and its driver."""
        guard, self._guard = self._guard, None
        browser, self._browser = self._browser, None
        driver, self._driver = self._driver, None
        gate, self._gate = self._gate, None
        self._page = self._session = None
        self._served = 0
        with suppress(Exception):  # whatever is broken, it is ended below
            if browser is not None and guard is not None:
                with guard.limit(_STOP_SECONDS):
                    browser.close()
        if guard is not None:
            guard.stop()
            kill_group(guard.group)
        with suppress(Exception):
            if driver is not None:
                driver.stop()
        if gate is not None:
            gate.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def layout(self, page: Page) -> Layout:
        """Lay a page out. PageError ``render``: too large, too slow, or the browser died over it twice."""
        body = stamped(page, frames=self.settings.allow_network)
        if len(body) > MOST_BYTES:
            raise PageError("render", f"{len(body):,} bytes with row numbers, allowed are {MOST_BYTES:,}")
        for _ in range(2):  # it may have died for another reason: the page gets a second browser
            with suppress(_BrowserDiedError):
                return self._lay_out(page, body)
        raise PageError("render", "the browser died, twice")

    def _lay_out(self, page: Page, body: bytes) -> Layout:
        """Lay a page out; raises _BrowserDiedError if the browser dies for an unknown reason."""
        if self._served >= self.settings.pages_a_browser:
            self.stop()
        self.start()
        guard = self._guard
        assert guard is not None
        self._served += 1
        self._body = body
        try:
            with guard.limit(self.settings.seconds):
                self._go(page)
                snapshot = self._session.send("DOMSnapshot.captureSnapshot", {"computedStyles": []})
            if guard.reason:  # the answer was on its way when the browser was ended
                raise TimeoutError
            return layout_of(page, snapshot)
        except Exception as error:
            self.stop()
            if guard.reason:
                raise PageError("render", guard.reason) from error
            if type(error).__name__ == "TargetClosedError" or _DIED.search(str(error)):
                raise _BrowserDiedError from error
            raise PageError("render", _first_line(error)) from error
        except BaseException:
            self.stop()  # after an interrupt a call is still unanswered
            raise

    def _open(self) -> None:
        """Open the tab in which all pages are laid out."""
        settings = self.settings
        context = self._browser.new_context(
            java_script_enabled=False,
            offline=not settings.allow_network,
            viewport={"width": settings.width, "height": settings.height},
            service_workers="block",
            accept_downloads=False,
        )
        self._page = context.new_page()
        self._session = context.new_cdp_session(self._page)
        self._frame = self._session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self._session.on("Fetch.requestPaused", self._answer)
        patterns = [{"urlPattern": "*", "resourceType": "Document"}]
        self._session.send("Fetch.enable", {"patterns": patterns})

    def _go(self, page: Page) -> None:
        """Load a page, with its styles, images and frames if the network is allowed."""
        online = self.settings.allow_network
        address = page.url if online and page.url.lower().startswith(("http://", "https://")) else _NOWHERE
        self._page.goto(address, wait_until="commit", timeout=0)
        wait = self.settings.seconds * (_WAIT_SHARE if online else 2)
        with suppress(self._api.TimeoutError):
            self._page.wait_for_load_state("load", timeout=wait * 1000)

    def _answer(self, event: dict[str, Any]) -> None:
        """Answer a request for a document: with the page, or with frames if the network is allowed."""
        request = {"requestId": event["requestId"]}
        with suppress(self._api.Error):  # the request or the browser no longer exists
            if event["frameId"] == self._frame:
                headers = [{"name": "Content-Type", "value": "text/html; charset=utf-8"}]
                body = base64.b64encode(self._body).decode("ascii")
                answer = {**request, "responseCode": 200, "responseHeaders": headers, "body": body}
                self._session.send("Fetch.fulfillRequest", answer)
            elif self.settings.allow_network:
                self._session.send("Fetch.continueRequest", request)
            else:
                self._session.send("Fetch.failRequest", {**request, "errorReason": "Aborted"})


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
