"""The wheel has what the command runs and nothing else; the source distribution has what building needs."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import pytest

import detemplate
from detemplate.kernels import KERNELS
from tests.support.imports import ROOT, own_name, reached

TREE = ROOT.parents[1]
FILES = (
    "pyproject.toml",
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "constraints.txt",
)
"""What building reads, beside the sources."""


def missing_tool() -> str | None:
    """Name a tool that building without network needs and that is not installed."""
    absent = [name for name in ("pip", "setuptools", "Cython") if find_spec(name) is None]
    if absent:
        return absent[0]
    # Older versions do not read the project's metadata.
    return "setuptools 77" if int(metadata.version("setuptools").partition(".")[0]) < 77 else None


pytestmark = pytest.mark.skipif(missing_tool() is not None, reason=f"{missing_tool()} is not installed")


def call(*command: str, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def reuse_builds(folder: Path) -> None:
    """Copy what was translated and compiled already; what is older than its source is built again."""
    for name in ("src", "avx2"):
        if (TREE / "build" / name).is_dir():
            shutil.copytree(TREE / "build" / name, folder / "build" / name)
    (folder / "setup.cfg").write_text("[build]\nbuild_lib = compiled\n")
    for library in [*ROOT.rglob("*.so"), *ROOT.rglob("*.pyd")]:
        copy = folder / "compiled" / library.relative_to(ROOT.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(library, copy)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    tree = folder / "tree"
    shutil.copytree(
        TREE / "src", tree / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")
    )
    for name in FILES:
        shutil.copy2(TREE / name, tree / name)
    reuse_builds(tree)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    call(sys.executable, "-c", code, folder=tree)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> list[PurePosixPath]:
    """The files of a wheel that is built from the source distribution, without those of its metadata."""
    reuse_builds(sdist)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    call(sys.executable, "-m", "pip", "wheel", *options, "-w", "out", ".", folder=sdist)
    [archive] = (sdist / "out").glob("*.whl")
    with zipfile.ZipFile(archive) as file:
        paths = [PurePosixPath(name) for name in file.namelist()]
    return [path for path in paths if not path.parts[0].endswith(".dist-info")]


def modules_that_run() -> set[str]:
    """Give the modules that the command, the public names and the examples of the docs import."""
    roots = {"__init__", "__main__", "cli", *detemplate._PLACES.values()}
    for page in [TREE / "README.md", *TREE.glob("docs/**/*.md")]:
        roots |= {
            own_name(name)
            for name in re.findall(r"^from (detemplate\.[\w.]+) import", page.read_text(), re.M)
        }
    return reached(roots)


def source(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_the_source_distribution_has_every_source(sdist):
    here = {path.relative_to(TREE) for pattern in ("*.py", "*.pxd") for path in ROOT.rglob(pattern)}
    there = {path.relative_to(sdist) for path in (sdist / "src").rglob("*") if path.is_file()}
    assert here <= there
    assert Path("src/detemplate/page/_markup.pxd") in there
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE"} <= {path.name for path in sdist.iterdir()}
    assert not [path for path in there if path.suffix in {".c", ".so", ".pyd"}]


def test_the_wheel_has_what_runs_and_nothing_else(wheel):
    """One test, so that parallel runs build one wheel."""
    assert {path.parts[0] for path in wheel} == {"detemplate"}
    sources = {module: source(module) for module in modules_that_run()}

    # Every module is imported by what runs: no kernel sources, tests or benchmarks.
    modules = {path.relative_to(ROOT.parent).as_posix() for path in sources.values()}
    assert {str(path) for path in wheel if path.suffix == ".py"} == modules

    # Every compiled file is a kernel.
    kernels = {kernel.module.replace(".", "/") for kernel in KERNELS}
    wide = {f"{kernel.module.replace('.', '/')}_avx2" for kernel in KERNELS if kernel.wide}
    compiled = {str(path).partition(".")[0] for path in wheel if path.suffix in {".so", ".pyd"}}
    assert compiled <= kernels | wide
    assert kernels <= compiled or not any(ROOT.rglob("*.so")), "there is a compiler, but kernels are missing"

    # Every other file is one that a module names: no stubs or declarations.
    constants = {
        node.value
        for path in sources.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    data = {path.name for path in wheel if path.suffix not in {".py", ".so", ".pyd"}}
    assert data - constants == {"py.typed"}
