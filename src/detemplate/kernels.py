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
"""

from __future__ import annotations

import importlib
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
        Whether it is built a second time for processors with AVX2, as ``_x_avx2``.
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


KERNELS: Final = (
    Kernel("detemplate.page.scan", "page scan"),
    Kernel("detemplate.page.subtrees", "subtree hashes"),
    Kernel("detemplate.page.productsigns", "product signs"),
    Kernel("detemplate.features.words", "word counts"),
    Kernel("detemplate.features.sitelinks", "site links"),
    Kernel("detemplate.features.node", "node features"),
    Kernel("detemplate.features.segment", "segment features"),
    Kernel("detemplate.layout.flow", "flow layout"),
    Kernel("detemplate.algorithms.forest", "forests", wide=True),
    Kernel("detemplate.algorithms.isotonic", "tree smoothing"),
    Kernel("detemplate.algorithms.recurrence", "recurrence table"),
    Kernel("detemplate.algorithms.substrings", "suffix intervals"),
    Kernel("detemplate.algorithms.tokenmatch", "token automaton"),
    Kernel("detemplate.detectors.auto.surroundings", "surroundings"),
    Kernel("detemplate.detectors.auto.sharetable", "site shares"),
    Kernel("detemplate.detectors.auto.slottree", "slot tree"),
    Kernel("detemplate.detectors.auto.slotsums", "slot sums"),
    Kernel("detemplate.detectors.auto.cut", "expected cut"),
)
"""All kernels."""


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
    """
    try:
        kernel = importlib.import_module(module)
    except (ImportError, AttributeError):  # built without a compiler (AttributeError: Cython is installed)
        return None
    return kernel if str(kernel.__file__).endswith((".so", ".pyd")) else None


def uncompiled() -> list[str]:
    """List what runs as slow reference on this machine, by the names in :data:`KERNELS`."""
    return [kernel.what for kernel in KERNELS if compiled(kernel.module) is None]
