"""Every reference in a docstring, such as ``:func:`name```, names something that exists."""

import ast
import builtins
import importlib
import inspect
import re
from pathlib import Path
from typing import NamedTuple

import pytest

import detemplate

ROOT = Path(__file__).parents[1]
SOURCE = Path(detemplate.__file__).parents[1]
REFERENCE = re.compile(r":(?:mod|class|func|meth|attr|data|exc):`~?([\w.]+)`")


class Module(NamedTuple):
    """A module's name, its text and its syntax tree."""

    name: str
    text: str
    tree: ast.Module

    @classmethod
    def read(cls, path):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(SOURCE).with_suffix("").parts
        return cls(".".join(parts).removesuffix(".__init__"), text, ast.parse(text))


def imported_names(tree):
    """Give the full name of each imported name, those for annotations included."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def references(text):
    """Give the line and the name of each reference."""
    for match in REFERENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def exists(name):
    """Import the longest module that starts the name; look the rest up in it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            target = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        return has_attributes(target, parts[length:])
    return False


def has_attributes(target, names):
    for name in names:
        if not hasattr(target, name):
            return inspect.isclass(target) and sets_attribute(target, name)
        target = getattr(target, name)
    return True


def sets_attribute(kind, name):
    """Tell whether the code of a class assigns or annotates an attribute of its instances."""
    pattern = rf"^\s+(?:.*\bself\.)?{name}\s*[:,=]"
    return re.search(pattern, inspect.getsource(kind), re.MULTILINE) is not None


def resolves(name, module):
    """Tell whether a reference in a module names something: there, in one of its classes, or anywhere."""
    if name.startswith("."):  # beside the module
        return exists(module.name.rpartition(".")[0] + name)
    first, dot, rest = name.partition(".")
    full = imported_names(module.tree).get(first, first) + dot + rest
    classes = [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    inside = [f"{module.name}.{kind}.{name}" for kind in classes]
    return hasattr(builtins, name) or any(map(exists, [full, f"{module.name}.{name}", *inside]))


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in SOURCE.rglob("__init__.py")), ids=lambda p: p.name
)
def test_references_resolve(folder):
    missing = []
    for path in sorted(folder.glob("*.py")):
        module = Module.read(path)
        missing += [
            f"{module.name}, line {line}: {name}"
            for line, name in references(module.text)
            if not resolves(name, module)
        ]
    assert not missing


def test_the_check_sees_what_does_not_exist():
    text = '"""See :func:`nothing` and :class:`Path`."""\nfrom pathlib import Path\n'
    module = Module("detemplate.errors", text, ast.parse(text))
    found = [name for _, name in references(text)]
    assert found == ["nothing", "Path"]
    assert [resolves(name, module) for name in found] == [False, True]
    assert resolves("UserError", module)
    assert resolves("detemplate.page.page.Page.canonical", module)
    assert not resolves("detemplate.page.page.Page.nothing", module)
    assert resolves(".page.page", module)
    assert not resolves(".nothing", module)


PROSE = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *SOURCE.rglob("*.py"),
    *ROOT.glob("benchmarks/**/*.py"),
]
CODE_PATH = re.compile(r"`((?:\w+/)+\w+\.(?:py|pxd|toml|model))`")
MADE_BY_THE_GUIDE = re.compile(r"(\w+/)*(test_)?toy\.py")


def missing_paths(text):
    """List the paths of code that a text names and that are not there, from the root or within the package."""
    return [
        path
        for path in CODE_PATH.findall(text)
        if not MADE_BY_THE_GUIDE.fullmatch(path)
        and not any((folder / path).is_file() for folder in (ROOT, SOURCE, SOURCE / "detemplate"))
    ]


def test_paths_of_code_exist():
    missing = [f"{path.name}: {name}" for path in PROSE for name in missing_paths(path.read_text("utf-8"))]
    assert not missing


def test_the_tests_that_show_what_is_promised_exist():
    """In ``docs/security.md``, each promise of a table names a test, and those named behind a file are in it."""
    told = (ROOT / "docs/security.md").read_text("utf-8")
    tables = re.findall(r"^\| promise \|.*\n\|---.*\n((?:\|.*\n)+)", told, re.MULTILINE)
    assert len(tables) > 4
    for promise in "".join(tables).splitlines():
        assert re.search(r"`tests/[\w/]+\.py`, `test_\w+`", promise), promise
    found = re.findall(r"`(tests/[\w/]+\.py)`((?:, `test_\w+`)*)", told)
    assert len(found) > 20
    for path, names in found:
        source = (ROOT / path).read_text("utf-8")
        for name in re.findall(r"test_\w+", names):
            assert f"def {name}(" in source, (path, name)


def test_the_check_sees_paths_that_do_not_exist():
    assert missing_paths("`page/page.py`, `page/nothing.py` and ``io/record.py``") == ["page/nothing.py"]
