"""The direction of imports, and what importing costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import detemplate

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(detemplate.__file__).parent

# What each part may import of the others; with ":types", for annotations only. A module of a part
# ("detectors.verdict") may be allowed where the part is not.
ALLOWED = {
    "errors": set(),
    "kernels": set(),
    "_version": set(),
    "algorithms": {"errors", "kernels"},
    "expressions": {"algorithms", "errors"},
    "page": {"algorithms", "errors", "kernels"},
    "detectors": {"algorithms", "errors", "expressions", "kernels", "page", "render.store"},
    "sites": {"page", "errors", "detectors:types"},
    "io": {"page", "errors", "detectors.verdict:types", "_version"},
    "engines": {"algorithms", "detectors", "errors", "expressions", "io", "page", "sites"},
    "report": {"engines:types", "errors"},
    "render": {"errors", "io", "page"},
    "training": {
        "_version",
        "algorithms",
        "detectors",
        "engines",
        "errors",
        "io",
        "page",
        "render:types",
        "sites",
    },
    "relations": {"algorithms", "errors", "io", "page"},
    "links": {"detectors.verdict:types", "errors", "page"},
    "commands": {
        "detectors",
        "engines",
        "errors",
        "evaluation",
        "expressions",
        "io",
        "links",
        "page",
        "relations",
        "render",
        "report",
        "sites",
        "training",
    },
    "cli": {"_version", "algorithms", "commands", "detectors.surroundings", "errors", "io", "page"},
    "__main__": {"cli"},
}
WEB_LIBRARIES = {"turbohtml", "lxml", "bs4", "fastwarc", "resiliparse", "html"}


def part_of(module: str) -> str:
    return module.removeprefix("detemplate.").partition(".")[0]


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        inner = path.relative_to(ROOT)
        if "build" not in inner.parts:
            yield ".".join(inner.with_suffix("").parts).removesuffix(".__init__"), ast.parse(path.read_text())


def imports(tree: ast.AST, *, types: bool = False) -> Iterator[tuple[str, bool]]:
    """Give every imported module, and whether it is imported for annotations only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for inner in node.body:
                yield from imports(ast.Module([inner], []), types=True)
            for inner in node.orelse:
                yield from imports(ast.Module([inner], []), types=types)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, types) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module
            if node.module == "detemplate" or (
                node.module.count(".") == 1 and node.module.startswith("detemplate.")
            ):
                yield from ((f"{node.module}.{alias.name}", types) for alias in node.names)
            else:
                yield node.module, types
        else:
            yield from imports(node, types=types)


def allowed(part: str, module: str, *, types: bool) -> bool:
    inner = module.removeprefix("detemplate.")
    if inner.partition(".")[0] == part:
        return True
    names = {inner.partition(".")[0], ".".join(inner.split(".")[:2])}
    return any(name in ALLOWED[part] or (types and f"{name}:types" in ALLOWED[part]) for name in names)


def test_arrows_point_down_only() -> None:
    wrong = [
        f"{name} imports {module}{' (types)' if types else ''}"
        for name, tree in modules()
        if part_of(name) not in ("evaluation", "__init__")
        for module, types in imports(tree)
        if module.startswith("detemplate.") and not allowed(part_of(name), module, types=types)
    ]
    assert not wrong


def test_every_part_is_known() -> None:
    parts = {part_of(name) for name, _ in modules()}
    assert parts == {*ALLOWED, "evaluation", "__init__"}


def test_nothing_imports_the_evaluation() -> None:
    assert not [
        name
        for name, tree in modules()
        if part_of(name) not in ("evaluation", "commands")
        and any("evaluation" in module for module, _ in imports(tree))
    ]


def test_algorithms_know_no_web() -> None:
    for name, tree in modules():
        if part_of(name) == "algorithms":
            assert not {module.partition(".")[0] for module, _ in imports(tree)} & WEB_LIBRARIES, name


def test_the_check_sees_forbidden_imports() -> None:
    source = "def f():\n    from detemplate.engines import cleaner\nif TYPE_CHECKING:\n    import detemplate.io.record\n"
    found = list(imports(ast.parse(source)))
    assert found == [("detemplate.engines.cleaner", False), ("detemplate.io.record", True)]
    assert not allowed("page", found[0][0], types=False)
    assert allowed("io", "detemplate.detectors.verdict", types=True)
    assert not allowed("io", "detemplate.detectors.verdict", types=False)
    assert not allowed("io", "detemplate.detectors.registry", types=True)
    assert not allowed("algorithms", "detemplate.page.tags", types=True)


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
