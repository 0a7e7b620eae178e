"""Builds the compiled kernels; a machine without a compiler installs the package without them."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FLAGS = os.environ.get("DETEMPLATE_KERNEL_FLAGS", "-O3 -ffp-contract=off").split()
FOREST = "src/detemplate/algorithms/_forest.py"
FOREST_WIDE = "detemplate.algorithms._forest_avx2"
KERNELS = [
    "src/detemplate/detectors/_surroundings.py",
    "src/detemplate/page/_evidence.py",
    "src/detemplate/page/_features.py",
    "src/detemplate/page/_flow.py",
    "src/detemplate/page/_scan.py",
    FOREST,
    "src/detemplate/algorithms/_isotonic.py",
    "src/detemplate/algorithms/_recurrence.py",
    "src/detemplate/algorithms/_substrings.py",
    "src/detemplate/algorithms/_tokenmatch.py",
]


class BuildKernels(build_ext):
    """Goes on where a kernel does not build, for whatever reason: its reference runs instead."""

    def build_extensions(self) -> None:
        """Build the kernels; forget those that failed, so that nothing looks for their files."""
        super().build_extensions()
        self.extensions = [ext for ext in self.extensions if Path(self.get_ext_fullpath(ext.name)).exists()]

    def build_extension(self, ext: Extension) -> None:
        """Build one kernel, or warn."""
        try:
            super().build_extension(ext)
        except Exception as error:  # noqa: BLE001  # a missing compiler is told in many ways
            print(f"warning: {ext.name} was not compiled, its reference will run: {error}", file=sys.stderr)


def extension(path: str, name: str = "", flags: tuple[str, ...] = ()) -> Extension:
    """Give a kernel as an extension, named as its file unless told otherwise."""
    return Extension(
        name or path.removeprefix("src/").removesuffix(".py").replace("/", "."),
        [path],
        extra_compile_args=[*FLAGS, *flags],
        extra_link_args=[flag for flag in FLAGS if flag.startswith("-fsanitize")],
        optional=True,
    )


def extensions() -> list[Extension]:
    """Give the kernels as extensions."""
    from Cython.Build import cythonize

    directives = {"language_level": 3}
    modules = list(
        cythonize([extension(path) for path in KERNELS], build_dir="build", compiler_directives=directives)
    )
    if platform.machine() in {"x86_64", "AMD64"} and sys.platform != "win32":
        # The sums of trees once more, for processors with wide vectors; which one runs is found when it is.
        # Tuned for any of them, the compiler would not gather the leaves at once.
        wide = extension(FOREST, FOREST_WIDE, ("-mavx2", "-mtune=skylake"))
        modules += cythonize([wide], build_dir="build/avx2", compiler_directives=directives)
    return modules


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernels})
