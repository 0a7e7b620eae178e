"""The compiled kernels: the one list of them, and how one is found.

Every kernel follows one convention. For a kernel ``x``, three modules stand in the same folder:

``x.py``
    The face: the typed functions that the rest of the package calls. It loads the kernel as ``KERNEL`` and
    calls the reference where that is None.
``_x.py``
    The kernel, in Cython's pure-Python mode. Its types are the C types in its own signatures.
``x_reference.py``
    The same results in plain Python and NumPy. It defines what the kernel computes; tests compare the two.

``setup.py``, ``detemplate --version`` and the tests read the list :data:`KERNELS`. This module imports
nothing of the package, so that ``setup.py`` can run it before the package is installed.

The first face that has to fall back to its reference warns, once in a process (:class:`SlowKernels`).
"""

from __future__ import annotations

import functools
import importlib
import sys
import warnings
from typing import Any, Final, NamedTuple


class Kernel(NamedTuple):
    """A compiled kernel.

    Attributes
    ----------
    face
        Full name of the module that calls it.
    what
        What it computes, as ``detemplate --version`` names it.
    wide
        Whether it is built again for each kind of processor in :data:`WIDE`, as ``_x_avx2`` and so on.
    """

    face: str
    what: str
    wide: bool = False

    @property
    def module(self) -> str:
        """Full name of the compiled module."""
        folder, _, name = self.face.rpartition(".")
        return f"{folder}._{name}"

    @property
    def reference(self) -> str:
        """Full name of the uncompiled module."""
        return f"{self.face}_reference"


WIDE: Final = {"_avx512": "AVX512_SKX", "_avx2": "AVX2"}
"""Ends of the names of builds for processors with wide vectors, and what numpy calls such vectors; the widest
first."""

KERNELS: Final = (
    Kernel("detemplate.page.scan", "page scan"),
    Kernel("detemplate.page.subtrees", "subtree hashes"),
    Kernel("detemplate.page.landmarks", "landmarks"),
    Kernel("detemplate.page.title", "titles"),
    Kernel("detemplate.page.productsigns", "product signs"),
    Kernel("detemplate.features.words", "word counts"),
    Kernel("detemplate.features.sitelinks", "site links"),
    Kernel("detemplate.features.node", "node features"),
    Kernel("detemplate.features.segment", "segment features"),
    Kernel("detemplate.layout.flow", "flow layout"),
    Kernel("detemplate.algorithms.sigmoid", "logistic function"),
    Kernel("detemplate.algorithms.runshares", "shares of runs"),
    Kernel("detemplate.algorithms.forest", "forests", wide=True),
    Kernel("detemplate.algorithms.isotonic", "tree smoothing"),
    Kernel("detemplate.algorithms.recurrence", "recurrence table"),
    Kernel("detemplate.algorithms.substrings", "suffix intervals"),
    Kernel("detemplate.algorithms.tokenmatch", "token automaton"),
    Kernel("detemplate.detectors.auto.surroundings", "surroundings"),
    Kernel("detemplate.detectors.auto.sharetable", "site shares"),
    Kernel("detemplate.detectors.auto.slottree", "slot tree"),
    Kernel("detemplate.detectors.auto.slotsums", "slot sums"),
    Kernel("detemplate.detectors.auto.slotodds", "slot odds"),
    Kernel("detemplate.detectors.auto.fields", "fields"),
    Kernel("detemplate.detectors.auto.decision", "smoothing by repetition"),
    Kernel("detemplate.detectors.auto.cut", "expected cut"),
    Kernel("detemplate.detectors.auto.headings", "headings"),
    Kernel("detemplate.output.remains", "remains of pages"),
)
"""All kernels."""


class SlowKernels(RuntimeWarning):
    """Kernels are not compiled: their references give the same results, slowly."""


def compiled(module: str) -> Any:  # noqa: ANN401  # kernels carry C types, which no stub repeats
    """Import a kernel if it was compiled for this machine.

    Parameters
    ----------
    module
        Its full name.

    Returns
    -------
    module or None
        None where it was built without a compiler: the reference runs instead.

    Warns
    -----
    SlowKernels
        The first time that this gives None.
    """
    kernel = _load(module)
    if kernel is None:
        _warn()
    return kernel


def uncompiled() -> list[str]:
    """List what runs as slow reference on this machine, by the names in :data:`KERNELS`."""
    return [kernel.what for kernel in KERNELS if _load(kernel.module) is None]


def _load(module: str) -> Any:  # noqa: ANN401
    try:
        kernel = importlib.import_module(module)
    except (ImportError, AttributeError):  # built without a compiler (AttributeError: Cython is installed)
        return None
    return kernel if str(kernel.__file__).endswith((".so", ".pyd")) else None


@functools.cache
def _warn() -> None:
    """Warn that kernels are not compiled, and say how to compile them."""
    if missing := uncompiled():
        # 30: method auto on examples/rustbook takes 2.3 s of CPU without kernels, 0.07 s with them.
        warnings.warn(
            f"{len(missing)} of {len(KERNELS)} kernels are not compiled: up to 30 × slower; "
            f"install a C compiler, then: {_rebuild()}",
            SlowKernels,
            stacklevel=3,  # the face
        )


def _rebuild() -> str:
    """Give the command that installs the package again, and fails if a kernel does not compile."""
    import json
    import shlex
    from importlib import metadata

    try:
        origin = metadata.distribution("detemplate").read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # run from its sources, not installed
        origin = None
    place = json.loads(origin or "{}")  # the folder or URL that it was installed from; nothing for an index
    editable = ["--editable"] if place.get("dir_info", {}).get("editable") else []
    # Without --no-cache-dir, pip installs the wheel again that it built without a compiler.
    options = ["--force-reinstall", "--no-deps", "--no-cache-dir", *editable]
    command = [sys.executable, "-m", "pip", "install", *options, place.get("url", "detemplate")]
    return f"DETEMPLATE_REQUIRE_KERNELS=1 {shlex.join(command)}"
