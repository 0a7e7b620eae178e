"""Builds the compiled kernels, for which a C compiler is required.

Environment variables:

``DETEMPLATE_KERNEL_FLAGS``
    Flags of the C compiler, in place of the usual ones. Without ``-g0``, the libraries keep their symbols.
``DETEMPLATE_REPOSITORY``
    URL of the repository on its host. The package's description links to the files there.
"""

from __future__ import annotations

import os
import platform
import re
import runpy
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CCompilerError, CompileError, PlatformError

FLAGS = os.environ.get("DETEMPLATE_KERNEL_FLAGS", "-O2 -g0 -ffp-contract=off").split()
LINK_FLAGS = [flag for flag in FLAGS if flag.startswith("-fsanitize")]
if "-g0" in FLAGS:
    LINK_FLAGS.append("-Wl,-x")  # no names of local functions
SHARED = "detemplate._cython"
"""The module with Cython's own code for memory views and strings, which every kernel would hold otherwise."""
WIDE_KERNELS = ("detemplate.algorithms._forest",)
"""Kernels that are built again for processors with wide vectors."""
# Tuned for any processor, the compiler would not gather.
WIDE = {
    "_avx512": (
        "-mavx2", "-mavx512f", "-mavx512cd", "-mavx512vl", "-mavx512bw", "-mavx512dq",
        "-mtune=skylake-avx512", "-mprefer-vector-width=512",
    ),
    "_avx2": ("-mavx2", "-mtune=skylake"),
}  # fmt: skip
"""Flags of these builds by the ends of their names. The kernel's caller finds at run time which one runs."""
NO_COMPILER = (
    "detemplate needs a C compiler and Python's header files: on Debian and Ubuntu "
    "'apt install gcc python3-dev', on Fedora 'dnf install gcc python3-devel', "
    "on macOS 'xcode-select --install'"
)


def kernels() -> dict[str, str]:
    """Map the kernels' module names to their sources, which begin with directives for Cython."""
    sources = [path for path in sorted(Path("src").rglob("_*.py")) if _is_kernel(path)]
    return {".".join(path.relative_to("src").with_suffix("").parts): path.as_posix() for path in sources}


def _is_kernel(path: Path) -> bool:
    return path.read_bytes().startswith(b"# cython:")


class BuildModules(build_py):
    """Leaves the sources of kernels out of wheels."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """List the modules of a package that are installed."""
        sources = kernels()
        modules = super().find_package_modules(package, package_dir)
        return [found for found in modules if f"{found[0]}.{found[1]}" not in sources]


class BuildKernels(build_ext):
    """Says in one line what to install where there is no compiler."""

    def build_extensions(self) -> None:
        """Try the compiler, translate the kernels and compile them."""
        self._try_compiler()
        translate(self.extensions)
        super().build_extensions()

    def _try_compiler(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "probe.c")
            source.write_text("#include <Python.h>\n")
            try:
                self.compiler.compile([str(source)], output_dir=folder)
            except (CCompilerError, PlatformError, OSError) as error:
                raise CompileError(NO_COMPILER) from error


def extension(name: str, source: str, flags: tuple[str, ...] = ()) -> Extension:
    """Describe a library that is built of one source."""
    return Extension(name, [source], extra_compile_args=[*FLAGS, *flags], extra_link_args=LINK_FLAGS)


def extensions() -> list[Extension]:
    """List all libraries: what the kernels share, the kernels, and those that are built again."""
    sources = kernels()
    shared = extension(SHARED, f"src/{SHARED.replace('.', '/')}.c", ("-O1",))  # large, and seldom run
    plain = [extension(module, source) for module, source in sources.items()]
    wide = []
    if platform.machine() in {"x86_64", "AMD64"} and sys.platform != "win32":
        wide = [
            extension(f"{module}{suffix}", sources[module], flags)
            for module in WIDE_KERNELS
            for suffix, flags in WIDE.items()
        ]
    return [shared, *plain, *wide]


def translate(libraries: list[Extension]) -> None:
    """Translate to C what has changed since the last time."""
    from Cython.Build import cythonize

    groups: dict[str, list[Extension]] = {}
    for library in libraries:  # one source, several modules: a folder for each
        suffix = next((suffix for suffix in WIDE if library.name.endswith(suffix)), "")
        groups.setdefault(suffix.replace("_", "build/") or "build", []).append(library)
    for folder, group in groups.items():
        translated = cythonize(
            group,
            build_dir=folder,
            nthreads=os.cpu_count() or 1,
            include_path=["src"],
            compiler_directives={"language_level": 3},
            shared_utility_qualified_name=SHARED,
        )
        for library, result in zip(group, translated, strict=True):
            library.sources = result.sources


def description(repository: str) -> str:
    """Give the README; with the repository's URL, its links lead to the files of this version there."""
    text = Path("README.md").read_text(encoding="utf-8")
    if not repository:
        return text
    version = runpy.run_path("src/detemplate/_version.py")["__version__"]

    def absolute(link: re.Match[str]) -> str:
        image, shown, path = link.groups()
        return f"{image}[{shown}]({repository}/{'raw' if image else 'blob'}/v{version}/{path})"

    return re.sub(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)", absolute, text)


if __name__ == "__main__":  # translating starts processes, which may import this file
    home = os.environ.get("DETEMPLATE_REPOSITORY", "").rstrip("/")
    setup(
        long_description=description(home),
        long_description_content_type="text/markdown",
        project_urls={"Source": home, "Changelog": f"{home}/blob/HEAD/CHANGELOG.md"} if home else {},
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildKernels, "build_py": BuildModules},
        options={"build_ext": {"parallel": os.cpu_count() or 1}},
    )
