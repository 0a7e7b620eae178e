"""Models that learned methods bring, or are given: each file read once for as long as it stays the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

Model = TypeVar("Model")


@dataclass(frozen=True)
class ModelFiles(Generic[Model]):
    """The models of a method.

    Attributes
    ----------
    shipped
        The one that the package brings.
    parse
        Makes a model of a file's bytes; raises ValueError where they are none.
    kind
        What a file is to be: "model of method auto".
    command
        What makes one.
    """

    shipped: Path
    parse: Callable[[bytes], Model]
    kind: str
    command: str

    def read(self, path: str) -> Model:
        """Read a model; for an empty path the shipped one, once. Another is read again if it has changed.

        Raises
        ------
        UserError
            There is no such file, or it is no model.
        """
        file = Path(path) if path else self.shipped
        try:
            told = file.stat() if path else None  # the shipped one does not change
            stamp = (told.st_mtime_ns, told.st_size) if told else ()
            model: Model = _read(self.parse, file, *stamp)
        except OSError as error:
            message = f"cannot read the model {file}: {error.strerror}; make one with {self.command}"
            raise UserError(message) from error
        except (ValueError, RecursionError) as error:
            raise UserError(f"{file} is no {self.kind}: {error}; make one with {self.command}") from error
        return model


@lru_cache(maxsize=16)
def _read(parse: Callable[[bytes], Any], file: Path, *_stamp: int) -> Any:  # noqa: ANN401
    return parse(file.read_bytes())
