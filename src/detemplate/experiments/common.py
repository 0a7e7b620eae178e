"""What all experiments do: find their sets, show how far they are, write what came out."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.labelled.datasets import SITES, data_folder, load_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from detemplate.labelled.datasets import LabelledSet


def checked_folder(data: Path | None) -> Path:
    """Give the folder with the labelled sets; raises UserError where it is not there."""
    if data is not None and not data.is_dir():
        raise UserError(f"no measuring data in {data}")
    return data or data_folder()


def labelled_sites(names: Sequence[str], folder: Path) -> list[LabelledSet]:
    """Give the labelled sites of these names, with or without ``sites/`` before them; all for no names.

    Raises
    ------
    UserError
        A site is unknown.
    """
    return load_sets([f"{SITES}/{name.removeprefix(f'{SITES}/')}" for name in names] or [SITES], folder)


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write to {out}: {error.strerror}") from error


def make_folder(out: Path) -> None:
    """Make the folder for the results, before anything long is run; raises UserError."""
    with _writing(out):
        out.mkdir(parents=True, exist_ok=True)


def write_results(out: Path, texts: Mapping[str, str], draw: Callable[[Path], list[Path]]) -> list[Path]:
    """Write an experiment's results.

    Parameters
    ----------
    out
        The folder.
    texts
        What files hold, by their names.
    draw
        Draws the charts into a folder and gives their files.

    Returns
    -------
    list of pathlib.Path
        All files.

    Raises
    ------
    UserError
        The folder cannot be written to.
    """
    written = [out / name for name in texts]
    with _writing(out):
        for path, text in zip(written, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        return written + draw(out)


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error where that is a terminal; give what counts one step, with its name."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda name: bar.update(task, description=name, advance=1)
