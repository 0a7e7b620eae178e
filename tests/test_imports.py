"""The direction of imports, and what importing costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import pytest

import detemplate
from detemplate.kernels import KERNELS
from tests.support.imports import ROOT, imports, module_trees, own_imports, part_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ORDER: dict[str, set[str]] = {
    # what stands at the bottom
    "errors": set(),
    "_version": set(),
    "kernels": set(),
    "files": {"errors"},
    # algorithms know nothing of the web
    "algorithms": {"errors", "kernels"},
    "expressions": {"algorithms", "errors"},
    # a page, what is measured about it, and where it stands
    "page": {"algorithms", "errors", "kernels"},
    "layout": {"errors", "files", "kernels", "page"},
    "features": {"algorithms", "kernels", "layout", "page"},
    # methods, and what they give
    "detectors": {"algorithms", "errors", "expressions", "features", "kernels", "layout", "page"},
    "sites": {"_version", "algorithms", "detectors", "errors", "files", "page"},
    "output": {"detectors", "errors", "page"},
    # files in and out know records; they know nothing of methods
    "io": {"_version", "errors", "files"},
    # runs, and what is made of many pages
    "report": {"algorithms", "detectors", "errors", "page"},
    "relations": {"algorithms", "errors", "files", "io", "page"},
    "links": {"detectors", "errors", "files", "page"},
    "engines": {
        "algorithms", "detectors", "errors", "expressions", "files", "io", "layout", "output", "page",
        "relations", "report", "sites",
    },
    "crawl": {
        "_version", "detectors", "engines", "errors", "files", "io", "layout", "links", "output", "page", "sites",
    },
    # labelled data, training and the papers' experiments import the product
    "labelled": {"algorithms", "engines", "errors", "page"},
    "training": {
        "_version", "algorithms", "detectors", "engines", "errors", "features", "files", "io", "labelled",
        "layout", "page", "sites",
    },
    "experiments": {
        "algorithms", "detectors", "engines", "errors", "expressions", "features", "io", "labelled", "layout",
        "links", "page", "relations", "report", "training",
    },
    # the command
    "commands": {
        "crawl", "detectors", "engines", "errors", "experiments", "expressions", "files", "io", "layout", "links",
        "output", "report", "sites", "training",
    },
    "cli": {"_version", "commands", "errors", "io", "kernels", "report"},
    "__main__": {"cli"},
    "__init__": {"_version", "algorithms", "detectors", "engines", "errors", "output", "page"},
}  # fmt: skip
"""The parts of the package from the bottom up, and what each imports: of those above it in this list, no more.

Imports for annotations count as any others, and so do those inside functions.
"""

METHODS = {path.stem for path in (ROOT / "detectors").iterdir()} & {*detemplate.methods()}
WEB_LIBRARIES = {":turbohtml", ":lxml", ":bs4", ":fastwarc", ":resiliparse", ":html"}


def wrong_imports(found: Mapping[str, set[str]]) -> list[str]:
    return [
        f"{name} imports {module}"
        for name, modules in found.items()
        for module in sorted(modules)
        if part_of(module) not in {part_of(name), *ORDER[part_of(name)]}
    ]


def test_the_order_is_one() -> None:
    parts = list(ORDER)
    for place, (part, below) in enumerate(ORDER.items()):
        assert below <= set(parts[:place]), f"{part} imports what stands above it"


def test_every_part_is_in_the_order_and_imports_what_it_says() -> None:
    found = own_imports()
    assert {part_of(name) for name in found} == set(ORDER)
    assert not wrong_imports(found)
    for part, below in ORDER.items():
        used = {
            part_of(module) for name, modules in found.items() if part_of(name) == part for module in modules
        }
        assert below == used - {part}, f"{part} does not import all that it may"


def test_no_circles() -> None:
    """No module comes back to itself, not by annotations either."""
    try:
        order = list(TopologicalSorter(own_imports()).static_order())
    except CycleError as error:
        pytest.fail(f"a circle: {' → '.join(error.args[1])}")
    assert order.index("page.page") < order.index("detectors.base")


def test_methods_do_not_know_each_other() -> None:
    for name, modules in own_imports().items():
        folder, _, inner = name.partition(".")
        own = part_of(inner)
        if folder == "detectors" and own in METHODS:
            others = {
                part_of(module.removeprefix("detectors.")) for module in modules if "detectors." in module
            }
            assert not (others & METHODS) - {own}, name


def test_algorithms_know_no_web() -> None:
    trees = module_trees()
    for name, tree in trees.items():
        if part_of(name) == "algorithms":
            assert not {part_of(module) for module in imports(tree, trees)} & WEB_LIBRARIES, name


def test_the_check_sees_forbidden_imports() -> None:
    source = "def f():\n    from detemplate.engines import cleaner\nif TYPE_CHECKING:\n    import detemplate.io.record\n"
    known = {"engines.cleaner", "io.record"}
    found = set(imports(ast.parse(source), known))
    assert found == known
    assert wrong_imports({"page.page": found}) == [
        "page.page imports engines.cleaner",
        "page.page imports io.record",
    ]
    assert not wrong_imports({"engines.run": found})


def test_every_kernel_has_a_face_and_a_reference() -> None:
    """Only its face imports a kernel, and only its face and its kin import a reference."""
    names = set(module_trees())
    for kernel in KERNELS:
        for module in (kernel.face, kernel.module, kernel.reference):
            assert module.removeprefix("detemplate.") in names, f"{module} is missing"
    compiled = {kernel.module.removeprefix("detemplate.") for kernel in KERNELS}
    known = {name for name in names if name.rpartition(".")[2].startswith("_") and "__" not in name}
    assert known - {"_version"} == compiled
    assert not [name for name, modules in own_imports().items() if modules & compiled]


def loaded_by(code: str) -> set[str]:
    """Run code in a new interpreter; give the top-level names of what it has imported."""
    report = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(run.stdout.splitlines()[-1].split())


HEAVY = {"numpy", "turbohtml", "pyarrow", "typer", "rapidfuzz", "fastwarc", "zstandard", "tldextract", "rich"}


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert not loaded_by("import detemplate; detemplate.__version__, dir(detemplate)") & HEAVY
    assert {"numpy", "turbohtml"} <= loaded_by("import detemplate; detemplate.Page")


def test_the_help_is_there_before_anything_heavy() -> None:
    code = "import sys\nsys.argv = ['detemplate', '--help']\nfrom detemplate.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass"
    loaded = loaded_by(code)
    assert "typer" in loaded
    assert not loaded & (HEAVY - {"typer", "rich"})


@pytest.mark.parametrize("name", detemplate.__all__)
def test_public_names(name: str) -> None:
    assert getattr(detemplate, name) is not None
    assert name in dir(detemplate)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        detemplate.nothing  # noqa: B018
