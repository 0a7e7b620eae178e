"""The wheel has what the command runs and nothing else; the source distribution has the repository."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from fnmatch import fnmatch
from importlib import metadata
from importlib.util import find_spec
from pathlib import PurePosixPath

import pytest

import detemplate
from detemplate.algorithms.forest import WIDE
from tests.support.imports import ROOT, kernel_modules, own_name, reached

TREE = ROOT.parents[1]
FOLDERS = (".ci", ".github", "benchmarks", "changes", "docs", "examples", "lab", "src", "tests")
FILES = (
    ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in",
    "README.md", "SECURITY.md", "constraints.txt", "mkdocs.yml", "pyproject.toml", "setup.py",
)  # fmt: skip
"""The repository."""
BUILT = ("*.so", "*.pyd", "*.c", "*.pyc", "*.egg-info", "__pycache__")
REPOSITORY = "https://code.example/detemplate"


def missing_tool():
    """Name a tool that building without network needs and that is not installed."""
    absent = [name for name in ("pip", "setuptools", "Cython") if find_spec(name) is None]
    if absent:
        return absent[0]
    # Older versions do not read the project's metadata.
    return "setuptools 77" if int(metadata.version("setuptools").partition(".")[0]) < 77 else None


pytestmark = pytest.mark.skipif(missing_tool() is not None, reason=f"{missing_tool()} is not installed")


def call(*command, folder, **variables):
    environment = os.environ | variables
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def reuse_translations(folder):
    """Copy what was translated to C already; what is older than its source is translated again."""
    for name in ("src", *(suffix.strip("_") for suffix in WIDE)):
        if (TREE / "build" / name).is_dir():
            shutil.copytree(TREE / "build" / name, folder / "build" / name, dirs_exist_ok=True)


def reuse_builds(folder):
    """Copy what was translated and compiled already; what is older than its source is built again."""
    reuse_translations(folder)
    (folder / "setup.cfg").write_text("[build]\nbuild_lib = compiled\n")
    for library in [*ROOT.rglob("*.so"), *ROOT.rglob("*.pyd")]:
        copy = folder / "compiled" / library.relative_to(ROOT.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(library, copy)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    tree = folder / "tree"
    for name in FOLDERS:
        shutil.copytree(TREE / name, tree / name, ignore=shutil.ignore_patterns(*BUILT))
    for name in FILES:
        shutil.copy2(TREE / name, tree / name)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    call(sys.executable, "-c", code, folder=tree, DETEMPLATE_REPOSITORY=REPOSITORY)
    assert not (tree / "build").exists(), "a source distribution needs nothing translated"
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist):
    """The files of a wheel that is built from the source distribution, without those of its metadata."""
    reuse_builds(sdist)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    call(sys.executable, "-m", "pip", "wheel", *options, "-w", "out", ".", folder=sdist)
    [archive] = (sdist / "out").glob("*.whl")
    with zipfile.ZipFile(archive) as file:
        files = {PurePosixPath(name): file.read(name) for name in file.namelist()}
    return {path: data for path, data in files.items() if not path.parts[0].endswith(".dist-info")}


def modules_that_run():
    """Give the modules that the command, its processes, the public names and the examples of the docs import."""
    roots = {"__init__", "__main__", "cli", *detemplate._PLACES.values()}
    for page in [TREE / "README.md", *TREE.glob("docs/**/*.md")]:
        roots |= {
            own_name(name)
            for name in re.findall(r"^from (detemplate\.[\w.]+) import", page.read_text(), re.M)
        }
    return reached(roots) - kernel_modules()


def source(module):
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_the_source_distribution_has_the_repository(sdist):
    """Tests, documentation, examples, the changelog: all but what is built, and raw figures of experiments."""
    here = set(FILES)
    for folder in FOLDERS:
        paths = [path for path in (TREE / folder).rglob("*") if path.is_file()]
        names = [path.relative_to(TREE) for path in paths]
        here |= {
            str(name)
            for name in names
            if not any(fnmatch(part, built) for part in name.parts for built in BUILT)
        }
    there = {str(path.relative_to(sdist)) for path in sdist.rglob("*") if path.is_file()}
    results = {name for name in here - there if name.startswith("benchmarks/results/")}
    assert here - there == results
    assert {PurePosixPath(name).suffix for name in results} <= {".json", ".csv"}
    assert not {name for name in there if name.endswith((".c", ".so", ".pyd"))}


def test_the_description_leads_to_the_repository(sdist):
    """A package index shows the README: its links to files of the repository say where that is."""
    information = message_from_string((sdist / "PKG-INFO").read_text())
    text = information.get_payload()
    links = re.findall(r"\]\(([^)]+)\)", (sdist / "README.md").read_text())
    relative = [link for link in links if "://" not in link and not link.startswith("#")]
    assert len(relative) > 10
    place = f"{REPOSITORY}/{{}}/v{metadata.version('detemplate')}/"
    for link in relative:
        assert f"]({link})" not in text
        assert f"]({place.format('raw' if link.endswith('.png') else 'blob')}{link})" in text
    assert f"Source, {REPOSITORY}" in information.get_all("Project-URL")


def test_without_a_compiler_one_line_says_what_to_install(sdist, tmp_path):
    ignored = shutil.ignore_patterns("tests", "docs", "compiled")
    tree = shutil.copytree(sdist, tmp_path / "tree", ignore=ignored)
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", ".")
    environment = os.environ | {"CC": sys.executable}  # no compiler of C
    done = subprocess.run(pip, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    [line] = re.findall(r"error: (detemplate needs a C compiler.*)", done.stdout + done.stderr)
    assert "apt install gcc python3-dev" in line
    assert not [*tree.glob("*.whl")]


def test_the_wheel_has_what_runs_and_nothing_else(wheel):
    """One test, so that parallel runs build one wheel."""
    assert {path.parts[0] for path in wheel} == {"detemplate"}
    sources = {module: source(module) for module in modules_that_run()}

    # Every module is imported by what runs: no kernel sources, tests or benchmarks.
    modules = {path.relative_to(ROOT.parent).as_posix() for path in sources.values()}
    assert {str(path) for path in wheel if path.suffix == ".py"} == modules

    # Every compiled file is a kernel, or what all of them share; without symbols for debuggers.
    kernels = {f"detemplate/{kernel.replace('.', '/')}" for kernel in kernel_modules()}
    wide = {f"detemplate/algorithms/_forest{end}" for end in WIDE}
    libraries = {
        str(path).partition(".")[0]: data for path, data in wheel.items() if path.suffix in {".so", ".pyd"}
    }
    assert set(libraries) <= kernels | wide | {"detemplate/_cython"}
    assert kernels <= set(libraries)
    assert not [name for name, data in libraries.items() if b".debug_info" in data]

    # Every other file is one that a module names, whole or without its suffix: no stubs or declarations.
    constants = {
        node.value
        for path in sources.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    data = [path for path in wheel if path.suffix not in {".py", ".so", ".pyd"}]
    unnamed = {path.name for path in data if constants.isdisjoint({path.name, path.stem})}
    assert unnamed == {"py.typed"}
