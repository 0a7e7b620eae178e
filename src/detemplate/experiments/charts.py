"""Saving the charts of experiments as SVG and PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from matplotlib.figure import Figure


def require_matplotlib() -> None:
    """Check that charts can be drawn, before anything long is run.

    Raises
    ------
    MissingExtra
        Without Matplotlib.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra("drawing an experiment's charts", "experiments") from None


def save_charts(charts: Iterable[tuple[str, Figure]], folder: Path) -> list[Path]:
    """Write charts, each as .svg and .png; the same figures give the same files.

    Parameters
    ----------
    charts
        Names and figures.
    folder
        Where they go.

    Returns
    -------
    list of pathlib.Path
        The files.
    """
    import matplotlib as mpl

    written = []
    with mpl.rc_context({"svg.hashsalt": "detemplate", "svg.fonttype": "none"}):
        for name, figure in charts:
            for suffix, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
                path = folder / f"{name}.{suffix}"
                figure.savefig(path, dpi=90, metadata=metadata)
                written.append(path)
    return written
