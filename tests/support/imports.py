"""The imports of the package's modules, read from their sources."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

import detemplate

ROOT = Path(detemplate.__file__).parent


@cache
def module_trees() -> dict[str, ast.Module]:
    """Parse all modules. A package goes by its folder's name, the whole package as ``__init__``."""
    trees = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        trees[name if name == "__init__" else name.removesuffix(".__init__")] = ast.parse(path.read_text())
    return trees


def kernel_modules() -> set[str]:
    """Name the modules that are compiled: their sources begin with directives for Cython."""
    sources = [path for path in ROOT.rglob("_*.py") if path.read_bytes().startswith(b"# cython:")]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sources}


def imports(tree: ast.AST, known: Collection[str]) -> Iterator[str]:
    """Give every imported module, named by :func:`own_name`; also those that a text names, as in ``"module:name"``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (own_name(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module
            for alias in node.names:
                inner = own_name(f"{node.module}.{alias.name}")
                yield inner if inner in known else own_name(node.module)
        elif isinstance(node, ast.Constant) and (
            named := re.fullmatch(r"(detemplate\.[\w.]+):\w+", str(node.value))
        ):
            yield own_name(named[1])


def own_name(module: str) -> str:
    """Name a module of this package without the package; others with a colon before them."""
    module = module.removeprefix("cython.cimports.")
    if module == "detemplate":
        return "__init__"
    own = module.removeprefix("detemplate.")
    return own if own != module else f":{module}"


def part_of(module: str) -> str:
    """Name the part of the package that a module is in: its first folder, or itself."""
    return module.partition(".")[0]


@cache
def own_imports() -> dict[str, set[str]]:
    """Give the modules of this package that each of its modules imports, also inside functions."""
    trees = module_trees()
    return {name: set(imports(tree, trees)) & (set(trees) - {name}) for name, tree in trees.items()}


def reached(roots: Iterable[str]) -> set[str]:
    """Give the modules that some modules import, directly or not, and the packages that they are in."""
    imported = own_imports()
    waiting, found = [*roots], set()
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        waiting += imported[module]
        if folder := module.rpartition(".")[0]:
            waiting.append(folder)
    return found
