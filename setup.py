"""Builds the compiled kernels; a machine without a compiler installs the package without them.

Environment variables:

``DETEMPLATE_REQUIRE_KERNELS=1``
    The build fails if a kernel does not compile. pip shows a build's output only then, or with ``-v``.
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
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError

FLAGS = os.environ.get("DETEMPLATE_KERNEL_FLAGS", "-O3 -g0 -ffp-contract=off").split()
LINK_FLAGS = [flag for flag in FLAGS if flag.startswith("-fsanitize")]
if "-g0" in FLAGS:
    LINK_FLAGS.append("-Wl,-x")  # no names of local functions
LISTED = runpy.run_path("src/detemplate/kernels.py")
KERNELS = LISTED["KERNELS"]
SHARED = "detemplate._cython"
"""The module with Cython's own code for memory views and strings, which every kernel would hold otherwise."""
# Tuned for any processor, the compiler would not gather.
WIDE = {
    "_avx512": (
        "-mavx2", "-mavx512f", "-mavx512cd", "-mavx512vl", "-mavx512bw", "-mavx512dq",
        "-mtune=skylake-avx512", "-mprefer-vector-width=512",
    ),
    "_avx2": ("-mavx2", "-mtune=skylake"),
}  # fmt: skip
"""Flags of the compiler for the builds in ``kernels.WIDE``."""


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
        translate(self.extensions)
        super().build_extensions()
        built = [ext for ext in self.extensions if Path(self.get_ext_fullpath(ext.name)).exists()]
        failed = [ext.name for ext in self.extensions if ext not in built]
        if failed:
            message = (
                f"{len(failed)} of {len(self.extensions)} libraries were not compiled: {', '.join(failed)}"
            )
            if os.environ.get("DETEMPLATE_REQUIRE_KERNELS", "0") not in {"", "0"}:
                raise CompileError(f"{message} (DETEMPLATE_REQUIRE_KERNELS is set; the reasons stand above)")
            print(f"warning: {message}; slow references will run", file=sys.stderr)
        self.extensions = built

    def build_extension(self, ext: Extension) -> None:
        """Build one kernel, or warn."""
        try:
            super().build_extension(ext)
        except Exception as error:  # noqa: BLE001  # a missing compiler is told in many ways
            print(f"warning: {ext.name} was not compiled: {error}", file=sys.stderr)


def extension(name: str, source: str, flags: tuple[str, ...] = ()) -> Extension:
    """Give a library as an extension; its source stands below ``src/``."""
    arguments = [*FLAGS, *flags]
    path = f"src/{source}"
    return Extension(name, [path], extra_compile_args=arguments, extra_link_args=LINK_FLAGS, optional=True)


def extensions() -> list[Extension]:
    """Give all libraries: what the kernels share, the kernels, and those that are built a second time."""
    sources = {kernel.module: f"{kernel.module.replace('.', '/')}.py" for kernel in KERNELS}
    shared = extension(SHARED, f"{SHARED.replace('.', '/')}.c")
    plain = [extension(module, source) for module, source in sources.items()]
    wide = []
    if platform.machine() in {"x86_64", "AMD64"} and sys.platform != "win32":
        # Which build runs is found at run time.
        modules = [kernel.module for kernel in KERNELS if kernel.wide]
        wide = [
            extension(f"{module}{suffix}", sources[module], WIDE[suffix])
            for module in modules
            for suffix in LISTED["WIDE"]
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
