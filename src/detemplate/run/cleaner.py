"""Learning and cleaning pages in this process, site by site."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from detemplate.detectors.base import no_stream
from detemplate.detectors.registry import DEFAULT_METHOD, detector_class, factory
from detemplate.errors import PageError, UserError, listed
from detemplate.io.record import Record
from detemplate.output.choice import Choice
from detemplate.output.options import Rendering, formats_of
from detemplate.output.result import Result
from detemplate.page.address import site_name
from detemplate.page.page import Page
from detemplate.run.pagework import PageWork, Rendered
from detemplate.run.passes import LocalRun
from detemplate.sites.learner import Settings, SiteLearner, learner_of
from detemplate.sites.naming import site_name as readable
from detemplate.sites.naming import site_of
from detemplate.sites.store import DEFAULT_BUDGET, SiteStore
from detemplate.sites.storefile import StoreFile, StoreWriter, is_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    from detemplate.detectors.base import Learner
    from detemplate.output.options import Format, Images, Links, Tables
    from detemplate.run.limits import PageLimits
    from detemplate.run.passes import Passes
    from detemplate.sites.storetables import SiteRow


PageLike = Page | Record | tuple[str, str | bytes | None]
"""A page, a record of one, or its URL and markup; None is the markup of a page that could not be had."""

Errors = Literal["raise", "skip"] | Callable[[str, PageError], object]
"""What is done about a page that cannot be cleaned: its error is raised, or the page is left out. A function
is called with the page's URL and its error, and the page is left out."""

Given = TypeVar("Given", bound=PageLike)

_OF_AUTO: Final = ("content", "records")  # values of auto's option keep, whose name is a word for CSS, too


class Cleaner:
    """Learns pages and cleans them, site by site. A context manager: at its end it is closed.

    Parameters
    ----------
    method
        Name of a method (:func:`detemplate.methods` lists them).
    site_by
        What is one site: ``"host"``, ``"domain"`` (registered domain) or ``"directory"``. A page that
        names its own site belongs to that one.
    threshold
        Templateness above which a segment is template, in [0, 1]; None: the method's own threshold.
    streaming
        True (the default): pages are cleaned as they arrive. False: all pages are learned before any is
        cleaned. It decides the defaults of some options.
    store
        A store (:meth:`save`). If it exists, the cleaner goes on with what it says of the sites; method,
        options and ``site_by`` are then those of the store. It must stay where it is until the cleaner is
        closed. What other runs write meanwhile is not seen.
    frozen
        Whether :meth:`clean_many` learns nothing, and cleans each page by the store alone, which must exist.
    keep, drop
        A person's own word, which beats every score: CSS selectors of elements that stay, and that go; or
        ``"example.org##.note"`` for one host, or ``"@FILE"`` for a file with one of these a line
        (:class:`~detemplate.output.choice.Choice`).
    memory
        Bytes that the detectors of all sites may hold in memory. Those unused for longest go to a temporary
        file.
    workers
        Processes in which :meth:`clean_many` works on pages beside this one, where it learns; the results are
        the same. Each result then comes with its text, and is parsed again if more is asked of it. 0: all is
        done in this process. Other methods always work in this process.
    format, explain, metadata
        What :meth:`~detemplate.Result.as_dict` gives of a result.
    keep_scripts
        Whether cleaned HTML keeps scripts, style sheets and event handlers.
    sanitize
        Whether cleaned HTML is a fragment that is harmless inside of other pages
        (:class:`~detemplate.output.options.Rendering`).
    links, images, tables
        How text and Markdown are written: see :meth:`~detemplate.Result.render`.
    options
        Options of the method by their names, as ``--set`` of the command has them.
    **others
        More options of the method.

    Attributes
    ----------
    method, site_by, workers, store, frozen
        As above.

    Raises
    ------
    UserError
        For an unknown method, option or way to name sites, or a value out of range; and for a store that is
        damaged, none, of a newer version, or learned otherwise.

    Notes
    -----
    One thread at a time may use a cleaner, not always the same one. A pickled cleaner holds all that it has
    learned.

    Examples
    --------
    >>> cleaner = Cleaner(method="segments", min_df=2)
    >>> for url in ("http://a/1", "http://a/2"):
    ...     result = cleaner.learn_and_clean((url, f"<p>Menu<h1>About {url}</h1>"))
    >>> result.text
    'About http://a/2'
    """

    def __init__(
        self,
        method: str | None = None,
        *,
        site_by: str | None = None,
        threshold: float | None = None,
        streaming: bool | None = None,
        store: str | os.PathLike[str] | None = None,
        frozen: bool = False,
        keep: str | Iterable[str] = (),
        drop: str | Iterable[str] = (),
        memory: int = DEFAULT_BUDGET,
        workers: int = 0,
        format: Format | Sequence[Format] = "text",  # noqa: A002  # the word of the command line
        explain: bool = False,
        metadata: bool | Literal["basic", "none"] = True,
        keep_scripts: bool = False,
        sanitize: bool = False,
        links: Links | None = None,
        images: Images | None = None,
        tables: Tables | None = None,
        options: Mapping[str, Any] | None = None,
        **others: Any,  # noqa: ANN401
    ) -> None:
        rendering = Rendering(links, images, tables, keep_scripts, sanitize, format, explain, metadata)
        choice = _choice(keep, drop)
        _check_numbers(threshold, workers, memory)
        self.store = None if store is None else os.fspath(store)
        self.frozen = frozen
        named = {"method": method, "site_by": site_by, "threshold": threshold, "streaming": streaming}
        given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        own = {**(options or {}), **others}
        if wrong := [name for name in ("method", "site_by", "threshold", "streaming") if name in own]:
            raise UserError(f"{wrong[0]} is no option of a method: say it beside them")
        given |= own
        known = None
        if self.store is not None and (frozen or is_store(self.store)):
            known = StoreFile(self.store)
        elif frozen:
            raise UserError("a frozen run learns nothing: name what is known already with store")
        try:
            if known is not None:
                given = known.settings.arguments(given, known.path)
            self.method: str = given.pop("method", DEFAULT_METHOD)
            self.site_by: str = given.pop("site_by", "host")
            self._streaming: bool = given.pop("streaming", True)
            threshold = given.pop("threshold", None)
            site_of("", self.site_by)
            if self._streaming and not detector_class(self.method).streams:
                raise no_stream(self.method)
            self._options = given
            make = partial(learner_of, factory(self.method, given, streaming=self._streaming))
            self._sites = SiteStore(make, SiteLearner, budget=memory)
        except BaseException:
            if known is not None:
                known.close()
            raise
        self._sites.known = known
        self._work = PageWork(make, self.method, self.site_by, threshold, rendering, Rendered(), choice)
        self.workers = workers
        self._opened: list[Passes] = []

    def __repr__(self) -> str:
        return f"Cleaner({self.method!r}, site_by={self.site_by!r}, {self.sites} sites)"

    @classmethod
    def load(cls, path: str | os.PathLike[str], **given: Any) -> Self:  # noqa: ANN401
        """Return a cleaner that goes on as the one that :meth:`save` saved.

        Sites are read from the file when their first page comes.

        Parameters
        ----------
        path
            The store, which exists; else as ``store`` of the class.
        **given
            Arguments of the class. ``method``, ``site_by`` and options of the method must be those that were
            saved; ``threshold`` and ``streaming`` replace the saved ones; others are not saved.

        Raises
        ------
        UserError
            The file is missing, damaged, no store, or of a newer version; or an argument contradicts it.
        """
        cleaner = cls(store=path, **{**given, "frozen": True})
        cleaner.frozen = given.get("frozen", False)
        return cleaner

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write the sites into a store, all or none: into the one that was loaded, those that have learned.

        What is in another store than that which was loaded is replaced. None for ``path``: the cleaner's own
        store.

        Raises
        ------
        UserError
            The store cannot be written, another run writes it or has written it since it was loaded, or the
            file is no store.
        """
        path = self.store if path is None else path
        if path is None:
            raise UserError("the cleaner has no store: name the file to save in")
        with StoreWriter(os.fspath(path)) as store:
            self._write_sites(store)
        if self._sites.known is not None and store.wrote(self._sites.known):
            self._sites.known.refresh()

    def _write_sites(self, store: StoreWriter) -> None:
        """Write what :meth:`save` saves into a store that the caller closes."""
        store.begin_at(self._sites.known)
        for row, state in self._sites.learned():
            store.put(row, state)
        own, threshold = self._options, self._work.threshold
        store.finish(
            Settings.of(
                self.method, own, site_by=self.site_by, streaming=self._streaming, threshold=threshold
            )
        )

    @property
    def sites(self) -> int:
        """Number of sites so far, those of a loaded store included."""
        return len(self._sites)

    def _knows(self, site: str) -> bool:
        """Return whether the loaded store has a site."""
        return self._sites.known is not None and self._sites.known.pages(site_name(site)) > 0

    def _unknown(self, site: str, count: int = 1) -> str:
        """Return a sentence: the loaded store knows none of ``count`` sites, such as this one."""
        known = self._sites.known
        assert known is not None
        those = listed(readable(row.name) for row in known.rows())
        none = (
            f"does not know {site}" if count == 1 else f"knows none of these {count:,} sites, such as {site}"
        )
        return f"{known.path} {none}; it knows {those or 'no site'}"

    def page(
        self,
        url: str,
        html: str | bytes | None,
        *,
        site: str | None = None,
        charset: str | None = None,
        media_type: str | None = None,
        keep_document: bool = False,
    ) -> Page:
        """Parse a page and name its site by this cleaner's rule; see :class:`~detemplate.Page`.

        Raises
        ------
        PageError
            As of :class:`~detemplate.Page`; ``empty`` also for None, and ``bad record`` for values of other
            types.
        """
        record = Record(url, html, charset, media_type, site)  # type: ignore[arg-type]  # checked there
        return self._work.page(record, keep_document=keep_document)

    def _parsed(self, page: PageLike, *, keep_document: bool = False) -> Page:
        return self._work.page(given_page(page), keep_document=keep_document)

    def learn(self, page: PageLike) -> None:
        """Learn a page for its site.

        Raises
        ------
        PageError
            It cannot be parsed.
        UserError
            It is neither a page nor its URL and markup.
        """
        page = self._parsed(page)
        self._sites[page.site].learn(page)
        self._sites.used(page.site)

    def clean(self, page: PageLike) -> Result:
        """Clean a page with what its site has taught so far. The cleaner does not change.

        A page that is made here, of a tuple, keeps its DOM until it is first rendered.
        """
        page = self._parsed(page, keep_document=True)
        verdict = self._sites[page.site].score(page)
        self._sites.used(page.site)
        return self._work.result(page, verdict)

    def learn_and_clean(self, page: PageLike) -> Result:
        """Learn a page and clean it, in the order of the method's paper; pages as for :meth:`clean`."""
        page = self._parsed(page, keep_document=True)
        verdict = self._sites[page.site].learn_and_score(page)
        self._sites.used(page.site)
        return self._work.result(page, verdict)

    def clean_many(self, pages: Iterable[PageLike], *, errors: Errors = "raise") -> Iterator[Result]:
        """Learn pages and clean them: a collection in two passes, an iterator in one.

        Parameters
        ----------
        pages
            Pages, or tuples of URL and markup. Of an iterator (a generator, for example), each page is
            learned and cleaned as it arrives. Any other iterable is read twice: all pages are learned first.
        errors
            See :data:`Errors`. With ``"raise"``, a page that cannot be parsed ends a run of two passes before
            its first result.

        Returns
        -------
        iterator of Result
            One a page, in the order of the pages, without those that cannot be cleaned.

        Raises
        ------
        PageError
            A page cannot be cleaned, and ``errors`` is ``"raise"``.
        UserError
            ``errors`` is no way to treat them, or something among the pages is no page.
        """
        check_errors(errors)
        return (result for _, result in self._attempts(pages, errors) if isinstance(result, Result))

    def _attempts(
        self, pages: Iterable[Given], errors: Errors | None
    ) -> Iterator[tuple[Given, Result | PageError]]:
        """Return each page with its result or error; None for ``errors``: nothing else is done about it."""
        streaming = iter(pages) is pages
        two_passes = not streaming and not self.frozen
        if streaming and not self.frozen and not detector_class(self.method).streams:
            raise no_stream(self.method)
        # In this process, text is made when it is asked for.
        formats = formats_of(self._work.rendering.format) if self.workers else ()
        with self._passes(given_page, Rendered(formats), ahead=not streaming, keep=two_passes) as passes:
            if two_passes:
                for _, error in passes.learn(pages):
                    if error is not None and errors == "raise":  # else told in the second pass
                        raise error
            learning = streaming and not self.frozen
            met, strange = self._sites.known is None, set[str]()
            for page, outcome in passes.stream(pages) if learning else passes.clean(pages):
                if isinstance(outcome, PageError):
                    if errors == "raise":
                        raise outcome
                    if callable(errors):
                        tell(errors, outcome)
                elif not met:
                    strange.add(outcome.site)
                    met = self._knows(outcome.site)
                yield page, outcome
            if strange and not met:
                warnings.warn(self._unknown(min(strange), len(strange)), stacklevel=2)

    def _passes(  # what decides how a run goes
        self,
        given: Callable[[Any], Record | Page | None],
        finish: Callable[[Result], Any],
        limits: PageLimits | None = None,
        *,
        ahead: bool = False,
        live: bool = False,
        keep: bool = False,
    ) -> Passes:
        """Return what goes over pages for this cleaner, in this process or with its workers.

        ``given``, ``ahead``, ``keep``: as for :class:`~detemplate.run.passes.Passes`.
        ``finish``: makes of a result what the passes give.
        ``limits``: what one page may take; None: in this process anything, in workers the default.
        ``live``: whether items may be long in coming, and results must not wait for them.
        """
        work = dataclasses.replace(self._work, finish=finish)
        ways: dict[str, Any] = {"ahead": ahead, "keep": keep}
        if self.workers:
            from detemplate.run.workerrun import WorkerRun

            own = WorkerRun(self._sites, work, given, workers=self.workers, limits=limits, live=live, **ways)
            self._opened.append(own)
            return own
        seconds = limits.seconds if limits is not None else None
        return LocalRun(self._sites, work, given, seconds=seconds, **ways)

    def close(self) -> None:
        """End workers, close the loaded store, and delete temporary files; nothing is to be done after it."""
        for passes in self._opened:
            passes.close()
        self._sites.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def given_page(page: PageLike) -> Page | Record:
    """Return a page or record as it is, and the record of a pair of URL and markup; raises UserError."""
    if isinstance(page, Page | Record):
        return page
    try:
        if isinstance(page, str | bytes | Mapping):
            raise TypeError
        url, html = page
        if isinstance(url, str | bytes) and url.lstrip()[:1] in ("<", b"<"):
            raise UserError("a page is a pair of URL and markup, in this order: the first is markup")
    except (TypeError, ValueError):
        raise UserError(
            f"a page is a detemplate.Page or a pair of URL and markup, not {type(page).__name__}"
        ) from None
    return Record(url, html)  # type: ignore[arg-type]  # checked when it is parsed


def _choice(keep: str | Iterable[str], drop: str | Iterable[str]) -> Choice | None:
    """Read rules; None without any."""
    if not keep and not drop:
        return None
    if keep in _OF_AUTO:
        raise UserError(
            f"keep is CSS, such as '.note'; for the option of method auto write options={{'keep': {keep!r}}}"
        )
    return Choice.of(keep, drop)


def _check_numbers(threshold: object, workers: object, memory: object) -> None:
    """Raise UserError for values that are no numbers, or out of range."""
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        raise UserError(f"the threshold must be between 0 and 1, not {threshold!r}")
    if not isinstance(workers, int) or workers < 0:
        raise UserError(f"the number of workers must be a whole number, and not negative: {workers!r}")
    if not isinstance(memory, int) or memory < 0:
        raise UserError(
            f"the memory for what is learned must be a whole number, and not negative: {memory!r}"
        )


def tell(errors: Callable[[str, PageError], object], error: PageError) -> None:
    """Call the caller's function with a page's URL and error; what it raises says at which page."""
    try:
        errors(error.url, error)
    except Exception as raised:
        raised.add_note(f"raised by errors=… of detemplate, which was told of: {error}")
        raise


def check_errors(errors: object) -> None:
    """Raise :class:`~detemplate.UserError` for what is no way to treat errors (:data:`Errors`)."""
    if errors not in ("raise", "skip") and not callable(errors):
        raise UserError(f"errors={errors!r} is unknown (choose 'raise', 'skip' or a function)")


class Engine(Cleaner):
    """A :class:`~detemplate.run.cleaner.Cleaner` with the parts that users do not call."""

    write_sites = Cleaner._write_sites
    knows = Cleaner._knows
    unknown = Cleaner._unknown
    attempts = Cleaner._attempts
    passes = Cleaner._passes

    @property
    def work(self) -> PageWork[Any]:
        """The work on one page."""
        return self._work

    def learned(self) -> Iterator[tuple[SiteRow, bytes]]:
        """Return the rows and states of the sites that have learned, without those of a loaded store."""
        return self._sites.learned()

    @property
    def knows_sites(self) -> bool:
        """Whether a store of earlier sites was loaded."""
        return self._sites.known is not None

    @property
    def used_sites(self) -> int:
        """Number of sites so far, without those of a loaded store of which no page has come."""
        return self._sites.used_sites

    def detector(self, site: str) -> Learner:
        """Return the learner of a site; a new one for a new site."""
        return self._sites[site_name(site)]
