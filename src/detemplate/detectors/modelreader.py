"""Reading the model files of trained methods; a file is read again only if it has changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

Model = TypeVar("Model")
"""The class of a method's models."""


@dataclass(frozen=True)
class ModelFiles(Generic[Model]):
    """Reads the models of one method.

    ``shipped``: the model file in the package.
    ``parse``: makes a model of a file's bytes; raises ValueError with the reason if they are no model.
    ``kind``: what error messages call a model, such as "model of method auto".
    ``command``: the command that makes a model, named in error messages.
    """

    shipped: Path
    parse: Callable[[bytes], Model]
    kind: str
    command: str

    def read(self, path: str) -> Model:
        """Read a model.

        ``path``: the model file; empty for the shipped model. The file is read again if its size or time of
            modification has changed.
        Raises UserError: the file cannot be read, or is no model.
        """
        return self._checked(Path(path)) if path else self._shipped

    @cached_property
    def _shipped(self) -> Model:
        """The shipped model, which does not change."""
        return self._checked(self.shipped)

    def _checked(self, file: Path) -> Model:
        try:
            status = file.stat()
            model: Model = _read(self.parse, file, status.st_mtime_ns, status.st_size)
        except OSError as error:
            message = f"cannot read the model {file}: {error.strerror}; make one with {self.command}"
            raise UserError(message) from error
        except (ValueError, RecursionError) as error:
            raise UserError(f"{file} is no {self.kind}: {error}; make one with {self.command}") from error
        return model


@lru_cache(maxsize=16)
def _read(parse: Callable[[bytes], Any], file: Path, *_stamp: int) -> Any:  # noqa: ANN401
    """Read and parse a file; ``_stamp`` (time of modification, size) makes the cache miss after a change."""
    return parse(file.read_bytes())
