"""The settings that sites were learned with, as a store keeps them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import xxhash

from detemplate._version import __version__
from detemplate.detectors.registry import detector_class, options_of, typed
from detemplate.detectors.state import StateError
from detemplate.errors import UserError
from detemplate.sites.naming import WAYS

if TYPE_CHECKING:
    from collections.abc import Mapping

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
