"""Finding the compiled kernels: modules in Cython's pure-Python mode, each with an uncompiled reference."""

from __future__ import annotations

import importlib
from typing import Any


def compiled(module: str) -> Any:  # noqa: ANN401
    """Give a kernel, if it was compiled for this machine.

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
