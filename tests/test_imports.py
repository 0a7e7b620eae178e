"""The direction of imports, and what importing costs."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import pytest

import detemplate
from detemplate.detectors.registry import PLACES
from tests.support.imports import ROOT, imports, kernel_modules, module_trees, own_imports, part_of

ORDER = {
    # what stands at the bottom
    "errors": set(),
    "_version": set(),
    "lazy": set(),
    "files": {"errors"},
    # algorithms know nothing of the web
    "algorithms": {"errors"},
    "expressions": {"algorithms", "errors"},
    # a page, what is measured about it, and where it stands
    "page": {"algorithms", "errors"},
    "layout": {"errors", "files", "page"},
    "features": {"algorithms", "layout", "page"},
    # methods, and what they give
    "detectors": {"algorithms", "errors", "expressions", "features", "layout", "lazy", "page"},
    "sites": {"_version", "algorithms", "detectors", "errors", "files", "page"},
    "output": {"detectors", "errors", "page"},
    # files in and out know records; they know nothing of methods
    "io": {"_version", "errors", "files"},
    # runs, and what is made of many pages
    "run": {"algorithms", "detectors", "errors", "files", "io", "output", "page", "sites"},
    "frames": {"errors", "files", "io", "output", "run"},
    "datatrove": {"errors", "io", "output", "run"},
    "report": {"algorithms", "detectors", "errors", "io", "output", "page", "run", "sites"},
    "mining": {"algorithms", "detectors", "errors", "expressions", "files", "io", "output", "page", "run", "sites"},
    "links": {"algorithms", "detectors", "errors", "files", "io", "page", "run"},
    "crawl": {"_version", "detectors", "errors", "files", "io", "links", "output", "page", "run", "sites"},
    "spark": {"detectors", "errors", "files", "frames", "io", "output", "run", "sites"},
    # training imports the product
    "training": {"_version", "algorithms", "detectors", "errors", "features", "files", "io", "layout", "page", "run", "sites"},
    # the command
    "commands": {"crawl", "detectors", "errors", "expressions", "files", "frames", "io", "layout", "lazy", "links", "mining", "output", "report", "run", "sites", "spark", "training"},
    "cli": {"_version", "commands", "errors", "io", "report"},
    "__main__": {"cli", "errors", "run"},
    "__init__": {"_version", "detectors", "errors", "frames", "output", "page", "run"},
}  # fmt: skip
"""The parts of the package from the bottom up, and what each imports: of those above it in this list, no more.

Imports for annotations count as any others, and so do those inside functions.
"""

METHODS = {path.stem for path in (ROOT / "detectors").iterdir()} & {*detemplate.methods()}
WEB_LIBRARIES = {":turbohtml", ":lxml", ":bs4", ":fastwarc", ":resiliparse", ":html"}


def wrong_imports(found):
    return [
        f"{name} imports {module}"
        for name, modules in found.items()
        for module in sorted(modules)
        if part_of(module) not in {part_of(name), *ORDER[part_of(name)]}
    ]


def test_the_order_is_one():
    parts = list(ORDER)
    for place, (part, below) in enumerate(ORDER.items()):
        assert below <= set(parts[:place]), f"{part} imports what stands above it"


def test_every_part_is_in_the_order_and_imports_what_it_says():
    found = own_imports()
    assert {part_of(name) for name in found} == set(ORDER)
    assert not wrong_imports(found)
    for part, below in ORDER.items():
        used = {
            part_of(module) for name, modules in found.items() if part_of(name) == part for module in modules
        }
        assert below == used - {part}, f"{part} does not import all that it may"


def test_no_circles():
    """No module comes back to itself, not by annotations either."""
    try:
        order = list(TopologicalSorter(own_imports()).static_order())
    except CycleError as error:
        pytest.fail(f"a circle: {' → '.join(error.args[1])}")
    assert order.index("page.page") < order.index("detectors.base")


def test_methods_do_not_know_each_other():
    for name, modules in own_imports().items():
        folder, _, inner = name.partition(".")
        own = part_of(inner)
        if folder == "detectors" and own in METHODS:
            others = {
                part_of(module.removeprefix("detectors.")) for module in modules if "detectors." in module
            }
            assert not (others & METHODS) - {own}, name


def test_algorithms_know_no_web():
    trees = module_trees()
    for name, tree in trees.items():
        if part_of(name) == "algorithms":
            assert not {part_of(module) for module in imports(tree, trees)} & WEB_LIBRARIES, name


def test_the_check_sees_forbidden_imports():
    source = "def f():\n    from detemplate.run import cleaner\nif TYPE_CHECKING:\n    import detemplate.io.record\n"
    known = {"run.cleaner", "io.record"}
    found = set(imports(ast.parse(source), known))
    assert found == known
    assert wrong_imports({"page.page": found}) == [
        "page.page imports io.record",
        "page.page imports run.cleaner",
    ]
    assert not wrong_imports({"run.run": found})


def test_a_kernel_has_one_door():
    """One module, in its folder, imports it and has its types; modules with such names are kernels."""
    kernels, imported = kernel_modules(), own_imports()
    names = {name for name in imported if name.rpartition(".")[2].startswith("_") and "__" not in name}
    assert names - {"_version"} == kernels
    for kernel in kernels:
        doors = [name for name, modules in imported.items() if kernel in modules]
        assert len(doors) <= 1, kernel
        assert all(door.rpartition(".")[0] == kernel.rpartition(".")[0] for door in doors), kernel


def modules_after(code):
    """Run code in a new interpreter; give the names of the modules that it has imported."""
    report = "import sys; print(*sorted(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(run.stdout.splitlines()[-1].split())


def loaded_by(code):
    """Give the top-level names of what code imports."""
    return {name.partition(".")[0] for name in modules_after(code)}


HEAVY = {"numpy", "turbohtml", "pyarrow", "click", "rapidfuzz", "fastwarc", "zstandard", "tldextract", "rich"}


def test_importing_the_package_imports_nothing_heavy():
    assert not loaded_by("import detemplate; detemplate.__version__, dir(detemplate)") & HEAVY
    assert {"numpy", "turbohtml"} <= loaded_by("import detemplate; detemplate.Page")


def test_the_help_is_there_before_anything_heavy():
    code = "import sys\nsys.argv = ['detemplate', '--help']\nfrom detemplate.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass"
    loaded = loaded_by(code)
    assert "click" in loaded
    assert not loaded & (HEAVY - {"click", "rich"})


UNUSED = {"duckdb", "fastwarc.warc", "http.server", "narwhals", "numpy.ma", "pyarrow", "pydantic", "rich", "scipy",
          "scrapy", "tarfile", "tldextract", "typer", "zipfile"}  # fmt: skip
"""What cleaning a page does not need."""


@pytest.mark.parametrize("method", ["auto", "segments"])
def test_cleaning_a_page_imports_one_method_and_one_command(method, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<title>Rain</title><nav>Home</nav><p>It rained all day, and in the night.")
    command = ["clean", str(page), "-m", method, "-o", str(tmp_path / "out.txt"), "-q"]
    loaded = modules_after(f"from detemplate.cli import main\nassert main({command!r}) == 0")
    assert (tmp_path / "out.txt").read_text()
    assert not loaded & UNUSED
    methods = {place.partition(":")[0].removesuffix(".detector") for place in PLACES.values()}
    assert loaded & methods == {f"detemplate.detectors.{method}"}
    commands = {name.removeprefix("detemplate.commands.") for name in loaded if ".commands." in name}
    assert commands == {"clean", "command", "merged", "shared"}


@pytest.mark.parametrize("name", detemplate.__all__)
def test_public_names(name):
    assert getattr(detemplate, name) is not None
    assert name in dir(detemplate)


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        detemplate.nothing  # noqa: B018


READERS = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "runpy", "code"}
"""Modules that may execute what they read."""

OWN = {"output/result.py", "run/pool.py", "run/worker.py", "detectors/auto/exchange.py"}
"""Modules that pickle for Python's own ``pickle`` and between our processes, never from a file."""


def test_reading_a_file_executes_nothing():
    """No module unpickles, or runs, what stands in a file; NumPy's own files may be pickles, too."""
    package = ROOT / "src/detemplate"
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        names = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        if path.relative_to(package).as_posix() not in OWN:
            assert not {name.partition(".")[0] for name in names} & READERS, path
        called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        assert not called & {"eval", "exec", "np.load", "np.fromfile", "pickle.load", "os.system"}, path
        assert not any("load_extension" in name for name in called), path
