"""What is learned of one site: by its detector, and parts of its pages' titles; and with which settings."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import xxhash

from detemplate._version import __version__
from detemplate.algorithms.countmeanmin import CountMeanMin
from detemplate.detectors.base import Asked, Learner
from detemplate.detectors.registry import detector_class, options_of, typed
from detemplate.detectors.state import DAMAGE, StateError, name_in, pack, unpack
from detemplate.errors import UserError
from detemplate.page.metadata.titleparts import SharedParts, part_keys
from detemplate.sites.naming import WAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.detectors.base import Detector
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page


_NAME: Final = "titles"
_VERSION: Final = 1
_ARRAYS: Final = {"cells": "<i4", "counts": "<i8"}
# The end of a state with counts of titles; before it stand their length, 8 bytes, and the counts.
_END: Final = b"detemplate-titles\n"


class SiteLearner(Learner):
    """A detector that has learned a site's pages, with counts of the parts of their titles.

    Its state is that of the detector, and the counts behind it. Of a state without counts, only later pages
    are counted.
    """

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._titles = CountMeanMin()
        self._titled = 0

    @property
    def pages(self) -> int:
        """Number of pages learned."""
        return self._detector.pages

    @property
    def nbytes(self) -> int:
        """Approximate memory of the learned state, in bytes."""
        return self._detector.nbytes + self._titles.nbytes

    def ask(self, page: Page) -> Asked:
        """Do the work on a page that depends on the options alone."""
        query, kept = self._detector.ask(page)
        return Asked((query, part_keys(page)), kept)

    def ask_only(self, page: Page) -> Asked:
        """Do the same for a page that is answered, but not learned."""
        query, kept = self._detector.ask_only(page)
        return Asked((query, part_keys(page)), kept)

    def take(self, query: Any) -> None:  # noqa: ANN401
        """Learn the page that asks."""
        inner, keys = query
        self._detector.take(inner)
        self._count(keys)

    def answer(self, query: Any) -> Any:  # noqa: ANN401
        """Tell what the site has learned about what a page asks; nothing is learned."""
        inner, keys = query
        return self._detector.answer(inner), self._shared(keys)

    def take_and_answer(self, query: Any) -> Any:  # noqa: ANN401
        """Learn the page that asks and answer it."""
        inner, keys = query
        self._count(keys)
        return self._detector.take_and_answer(inner), self._shared(keys)

    def judge(self, page: Page, asked: Asked, answer: Any) -> Verdict:  # noqa: ANN401
        """Score a page by the answer; depends on the options and not on what was learned."""
        inner, shared = answer
        own = Asked(asked.query[0], asked.kept)
        verdict = self._detector.judge(page, own, inner)
        return dataclasses.replace(verdict, shared=shared)

    def _count(self, keys: tuple[int, ...]) -> None:
        self._titles.add(keys)
        self._titled += 1

    def _shared(self, keys: tuple[int, ...]) -> SharedParts:
        return SharedParts(self._titled, self._titles.counts(keys))

    def merge(self, other: Self) -> Self:
        """Return one that has learned this one's pages and then the other's; as of a detector."""
        merged = type(self)(self._detector.merge(other._detector))
        merged._titles = self._titles.merge(other._titles)
        merged._titled = self._titled + other._titled
        return merged

    def to_bytes(self) -> bytes:
        """Return the learned state and the options as bytes."""
        titles = pack(_NAME, _VERSION, {"pages": self._titled}, self._titles.dump(), narrow=True)
        return b"".join([self._detector.to_bytes(), titles, len(titles).to_bytes(8, "little"), _END])

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` returned; the detector's class is that of the method in its state."""
        state, titles = data, b""
        if data.endswith(_END):
            stop = len(data) - len(_END) - 8
            start = stop - int.from_bytes(data[stop : stop + 8], "little")
            if not 0 <= start < stop:
                raise StateError("the state has a wrong length")
            state, titles = data[:start], data[start:stop]
        try:
            found = cls(detector_class(name_in(state)).from_bytes(state))
            if titles:
                header, arrays = unpack(titles, _NAME, _VERSION, _ARRAYS)
                found._titled = int(header["pages"])
                found._titles.load(**arrays)
        except StateError:
            raise
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return found


def learner_of(make: Callable[[], Detector]) -> SiteLearner:
    """Make a learner of a new site."""
    return SiteLearner(make())


_FREE: Final = ("streaming", "threshold")  # a later run may change these: they do not touch what was learned
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "method": (str,),
    "options": (dict,),
    "files": (dict,),
    "site_by": (str,),
    "streaming": (bool,),
    "threshold": (int, float, type(None)),
    "detemplate": (str,),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What sites were learned with.

    ``method``, ``site_by``, ``streaming``, ``threshold``: as for :class:`~detemplate.run.cleaner.Cleaner`.
    ``options``, ``files``: all options of the method, as JSON values: infinite numbers are text. Digests of
        the files that options name, by the option's name; the files themselves are not kept.
    ``detemplate``: the version of this package.
    """

    method: str
    options: Mapping[str, Any]
    files: Mapping[str, str]
    site_by: str
    streaming: bool
    threshold: float | None
    detemplate: str = __version__

    @classmethod
    def of(
        cls,
        method: str,
        given: Mapping[str, Any],
        *,
        site_by: str,
        streaming: bool,
        threshold: float | None,
    ) -> Settings:
        """Make the settings of a cleaner; ``given`` are the options that are not left to their defaults."""
        options = dataclasses.asdict(options_of(method, given, streaming=streaming))
        files = {name: _digest(options[name]) for name in _file_options(method) if options[name]}
        kept = {
            name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in options.items()
        }
        return cls(method, kept, files, site_by, streaming, threshold)

    @property
    def learned(self) -> dict[str, Any]:
        """All options as the method takes them; what an earlier version did not know has its default."""
        return dataclasses.asdict(options_of(self.method, self.options, streaming=False))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Settings:
        """Make settings of a store's values; raises StateError if one is missing or wrong."""
        for name, types in _TYPES.items():
            if not isinstance(values.get(name, ...), types):
                raise StateError(f"its {name} is {values.get(name)!r}")
        if values["site_by"] not in WAYS:
            raise StateError(f"its sites are named by {values['site_by']!r}")
        return cls(**{name: values[name] for name in _TYPES})

    def check_files(self, path: str) -> None:
        """Raise UserError if a file that an option names is not as it was when ``path`` was learned."""
        for name in _file_options(self.method):
            if self.options.get(name) and _digest(str(self.options[name])) != self.files.get(name):
                raise UserError(
                    f"{path} was learned with another {name} than {self.options[name]} holds now: put that "
                    "file back, or begin a new store"
                )

    def arguments(self, given: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return the arguments of a cleaner that goes on with these settings, those of the store at ``path``.

        Of the given arguments, ``streaming`` and ``threshold`` replace these settings; the others must be
        equal.

        Raises UserError: a given argument contradicts the settings, or is unknown.
        """
        fixed = {"method": self.method, "site_by": self.site_by}
        learned = fixed | self.learned
        options = {name: value for name, value in given.items() if name not in {*fixed, *_FREE}}
        asked = {name: given[name] for name in fixed if name in given}
        if asked.get("method", self.method) == self.method:
            asked |= typed(detector_class(self.method), options)
        for name, value in asked.items():
            was = learned[name]
            if value != was:
                raise UserError(
                    f"{path} was learned with {name}={was}, not {name}={value}: leave that out, or name "
                    "another store"
                )
        free = {name: given.get(name, getattr(self, name)) for name in _FREE}
        return {**self.options, **fixed, **free}


def _file_options(method: str) -> list[str]:
    """Return the names of a method's options that name files."""
    fields = dataclasses.fields(detector_class(method).options_class)
    return [field.name for field in fields if field.metadata.get("file")]


def _digest(path: str) -> str:
    """Return the hash of a file's content; raises UserError if it is not a file that can be read."""
    try:
        if not Path(path).is_file():
            raise UserError(f"the store needs the file {path}, which is not there; put it back")
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, xxhash.xxh3_128).hexdigest()
    except OSError as error:
        raise UserError(f"the store needs the file {path}: {error.strerror}; make it readable") from error
