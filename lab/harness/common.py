"""What experiments share: finding labelled sites, importing scikit-learn, writing results."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from detemplate.errors import MissingExtra, UserError
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import data_folder, is_own, load_sets, own_sets, own_sites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from lab.labelled.pages import LabelledSet


def checked_folder(data: Path | None) -> Path:
    """Return the folder of the labelled sets, by default that of `data_folder`. UserError if missing."""
    if data is not None and not data.is_dir():
        raise UserError(f"no measuring data in {data}")
    return data or data_folder()


def labelled_sites(names: Sequence[str], data: Path | None) -> list[LabelledSet]:
    """Find labelled sites by name, with or without ``sites/`` in front; without names, all sites."""
    folder = checked_folder(data)
    if is_own(folder):
        return _named(own_sites(folder), names)
    sets = load_sets([f"{SITES}/{name.removeprefix(f'{SITES}/')}" for name in names] or [SITES], folder)
    if not sets:
        raise UserError(f"{folder} lists no sites")
    return sets


def unseen_sites(names: Sequence[str], data: Path | None) -> list[LabelledSet]:
    """Find labelled sites; without names, those of part ``test``, which no model has learned from."""
    sets = labelled_sites(names, data)
    unseen = sets if names else [labelled for labelled in sets if labelled.part == "test"]
    if not unseen:
        raise UserError("no labelled site is of part 'test': name sites")
    return unseen


def labelled_sets(names: Sequence[str], data: Path | None) -> list[LabelledSet]:
    """Find labelled sets by name, ``sites`` for all sites; in a folder of a user, all sets without names."""
    folder = checked_folder(data)
    return _named(own_sets(folder), names) if is_own(folder) else load_sets(names, folder)


def _named(sets: list[LabelledSet], names: Sequence[str]) -> list[LabelledSet]:
    """Choose sets of a user by name; all without names."""
    known = [each.name for each in sets]
    if unknown := sorted({*names} - {*known}):
        raise UserError(f"unknown set {unknown[0]!r}; known are {', '.join(known)}")
    return [each for each in sets if not names or each.name in names]


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write to {out}: {error.strerror}") from error


def make_folder(out: Path) -> None:
    """Make the folder for the results. UserError before a long run starts if it cannot be made."""
    with _writing(out):
        out.mkdir(parents=True, exist_ok=True)


def write_results(out: Path, texts: Mapping[str, object], draw: Callable[[Path], list[Path]]) -> list[Path]:
    """Write texts (or data, as JSON) by file name, then the charts that `draw` draws; return the files."""
    written = [out / name for name in texts]
    with _writing(out):
        for path, text in zip(written, texts.values(), strict=True):
            plain = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) + "\n"
            path.write_text(plain, encoding="utf-8")
        return written + draw(out)


def require_sklearn(use: str) -> Any:  # noqa: ANN401  # a module without types
    """Import scikit-learn, with what the experiments take of it; `MissingExtra` says what its `use` is."""
    try:
        import sklearn.cluster  # type: ignore[import-untyped]
        import sklearn.feature_extraction.text  # type: ignore[import-untyped]
        import sklearn.linear_model  # type: ignore[import-untyped]
        import sklearn.naive_bayes  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra(use, "lab") from None
    return sklearn
