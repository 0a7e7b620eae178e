"""Builds the compiled kernels; a machine without a compiler installs the package without them."""

from __future__ import annotations

import os
import platform
import runpy
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

FLAGS = os.environ.get("DETEMPLATE_KERNEL_FLAGS", "-O3 -ffp-contract=off").split()
KERNELS = runpy.run_path("src/detemplate/kernels.py")["KERNELS"]


class BuildModules(build_py):
    """Leaves the sources of kernels out of wheels: what runs is the compiled kernel or its reference."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """List the modules of a package that are installed."""
        kernels = {kernel.module for kernel in KERNELS}
        modules = super().find_package_modules(package, package_dir)
        return [found for found in modules if f"{found[0]}.{found[1]}" not in kernels]


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


def extension(module: str, name: str, flags: tuple[str, ...] = ()) -> Extension:
    """Give a kernel as an extension of the given name."""
    return Extension(
        name,
        [f"src/{module.replace('.', '/')}.py"],
        extra_compile_args=[*FLAGS, *flags],
        extra_link_args=[flag for flag in FLAGS if flag.startswith("-fsanitize")],
        optional=True,
    )


def extensions() -> list[Extension]:
    """Give the kernels as extensions."""
    from Cython.Build import cythonize

    options = {"compiler_directives": {"language_level": 3}, "include_path": ["src"]}
    plain = [extension(kernel.module, kernel.module) for kernel in KERNELS]
    modules = list(cythonize(plain, build_dir="build", **options))
    if platform.machine() in {"x86_64", "AMD64"} and sys.platform != "win32":
        # Which build runs is found at run time. Tuned for any processor, the compiler would not gather.
        wide = [
            extension(kernel.module, f"{kernel.module}_avx2", ("-mavx2", "-mtune=skylake"))
            for kernel in KERNELS
            if kernel.wide
        ]
        modules += cythonize(wide, build_dir="build/avx2", **options)
    return modules


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildKernels, "build_py": BuildModules},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
