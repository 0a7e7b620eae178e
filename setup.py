"""Builds the two compiled kernels; a machine without a compiler installs the package without them."""

from __future__ import annotations

import os

from setuptools import Extension, setup

FLAGS = os.environ.get("DETEMPLATE_KERNEL_FLAGS", "-O3").split()
KERNELS = ["src/detemplate/page/_scan.py", "src/detemplate/algorithms/_recurrence.py"]


def extensions() -> list[Extension]:
    """Give the kernels as optional extensions: where one fails to build, its reference runs instead."""
    from Cython.Build import cythonize

    modules = [
        Extension(
            path.removeprefix("src/").removesuffix(".py").replace("/", "."),
            [path],
            extra_compile_args=FLAGS,
            extra_link_args=[flag for flag in FLAGS if flag.startswith("-fsanitize")],
            optional=True,
        )
        for path in KERNELS
    ]
    return list(cythonize(modules, build_dir="build", compiler_directives={"language_level": 3}))


setup(ext_modules=extensions())
