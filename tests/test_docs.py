"""Every command and example of the README and of docs/ does what stands there.

The blocks of a document run in their order, in one folder with the files of :mod:`tests.support.doc_inputs`. A block
of language ``text`` right after another says what that one prints. Marks before a block, or under a document's title
for all its blocks:

- ``<!-- not run: REASON -->``: the block does not run here. ``NOT_RUN`` counts these.
- ``<!-- needs: NAME … -->``: the block runs where these programs or modules are.
- ``<!-- main command -->`` and ``<!-- test command -->``, in the README: ``.ci/run`` runs the block.
"""

import doctest
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import detemplate
from detemplate.cli import app
from detemplate.frames import extract as extracting
from detemplate.run import cleaner
from tests.support.doc_inputs import crawl_pages, make_inputs
from tests.support.documents import all_commands, blocks, prints, run_python, run_shell
from tests.support.programs import lacks_java

ROOT = Path(__file__).parents[1]
DOCUMENTS = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md"))]

NOT_RUN = {
    "docs/add-a-method.md": 9,
    "docs/crawl.md": 1,
    "docs/experiments/classification.md": 1,
    "docs/experiments/clustering.md": 1,
    "docs/experiments/data.md": 1,
    "docs/experiments/duplicates.md": 1,
    "docs/experiments/expressions.md": 1,
    "docs/experiments/focus.md": 1,
    "docs/experiments/incremental.md": 3,
    "docs/experiments/indexing.md": 1,
    "docs/experiments/links.md": 1,
    "docs/experiments/pagelevel.md": 2,
    "docs/experiments/rendered.md": 1,
    "docs/experiments/tokens.md": 1,
    "docs/methods/auto.md": 1,
    "docs/methods/pagelevel.md": 1,
    "docs/release.md": 7,
    "docs/spark.md": 3,
    "docs/tutorial.md": 1,
}
"""Blocks of each document that are marked ``not run``. Keep them few."""

LANGUAGES = {"sh", "python", "text", "diff", "markdown"}
OF_CI = ("main command", "test command")


def of(document):
    return blocks((ROOT / document).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder)
    return folder


@pytest.fixture
def names():
    """What the Python examples take for granted: pages, a page and its verdict."""
    pages = crawl_pages()
    page = detemplate.Page(*pages[5])
    [result] = detemplate.clean([page])
    return {
        "__name__": "example",
        "pages": pages,
        "monday": pages,
        "crawl": iter(pages),
        "page": page,
        "verdict": result.verdict,
    }


@pytest.mark.parametrize("document", DOCUMENTS)
def test_its_examples_run(document, inputs, names, tmp_path, monkeypatch, request):
    if document == "docs/spark.md" and not lacks_java():
        request.getfixturevalue("spark")  # the commands join the running session
    folder = tmp_path / "folder"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    for block in of(document):
        place = f"{document}:{block.line}"
        if not block.executable or block.mark.startswith("not run: "):
            continue
        if block.mark in OF_CI:
            leave_outputs(block.code, folder)
            continue
        if block.missing:
            required = [
                name for name in block.missing if os.environ.get(f"DETEMPLATE_REQUIRE_{name.upper()}")
            ]
            assert not required, f"{place} needs {', '.join(required)}"
            warnings.warn(f"{place} did not run: {', '.join(block.missing)} missing", stacklevel=1)
            continue
        try:
            printed = run_shell(block) if block.language == "sh" else run_python(block, names, place)
        except Exception as error:
            error.add_note(f"in the example of {place}")
            raise
        if block.expected is not None:
            assert prints(block.expected, printed), f"{place} prints {printed}"


def leave_outputs(code, folder):
    """Make the output directories of a command that .ci/run runs: what follows must not need their names."""
    for name in re.findall(r"-o (\S+)/", code):
        (folder / name).mkdir()
        (folder / name / "index.jsonl").write_text("{}\n")


def test_marks_are_known_and_few():
    marked = {name: sum(block.mark.startswith("not run: ") for block in of(name)) for name in DOCUMENTS}
    assert {name: count for name, count in marked.items() if count} == NOT_RUN
    for name in DOCUMENTS:
        for block in of(name):
            assert re.match(r"$|(not run|needs): \S", block.mark) or block.mark in OF_CI, (name, block.line)
    assert [block.mark for block in of("README.md") if block.mark in OF_CI] == list(OF_CI)


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_every_fence_is_a_block_of_a_known_language():
    for name in DOCUMENTS:
        found = of(name)
        text = (ROOT / name).read_text(encoding="utf-8")
        assert len(re.findall(r"^ *(```|~~~)", text, re.MULTILINE)) == 2 * len(found), name
        for block in found:
            assert block.language in LANGUAGES, f"{name}:{block.line}: name the language of the block"
            assert block.executable or not block.code.startswith("detemplate "), f"{name}:{block.line}"


def test_modules_that_are_run_exist():
    """``python -m lab.NAME`` and ``python -m benchmarks.NAME`` name modules of this repository."""
    documents = [
        *DOCUMENTS,
        "CONTRIBUTING.md",
        *(str(path.relative_to(ROOT)) for path in ROOT.glob("changes/*.md")),
    ]
    named = {
        (name, module.replace(".", "/"))
        for name in documents
        for module in re.findall(
            r"python -m ((?:lab|benchmarks)\.[a-z_.]*[a-z])", (ROOT / name).read_text(encoding="utf-8")
        )
    }
    assert len(named) > 20
    assert not [
        (name, module)
        for name, module in named
        if not any((ROOT / f"{module}{end}.py").is_file() for end in ("", "/__main__"))
    ]


def test_commands_that_do_not_run_have_known_options():
    """Those of blocks that are marked, and those within sentences."""
    checked = 0
    for name in [*DOCUMENTS, "CONTRIBUTING.md"]:
        text = (ROOT / name).read_text(encoding="utf-8")
        code = [block.code.replace("\\\n", " ") for block in of(name) if block.mark.startswith("not run: ")]
        found = re.findall(r"^detemplate (\w.*)", "\n".join(code), re.MULTILINE)
        found += re.findall(
            r"`detemplate (\w[^`]*)`", re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
        )
        for arguments in found:
            words = re.sub(r"\$\(.*|[…]", "", arguments).replace("'", "").split()
            check_options(app, words, f"{name}: detemplate {arguments}")
            checked += 1
    assert checked > 20


def test_flags_in_sentences_are_options():
    """Of a command; in pages of the laboratory and of what measures, of one of their modules, too."""
    commands = {each for command in all_commands().values() for each in option_names(command)}
    modules = "".join(
        path.read_text(encoding="utf-8")
        for name in ("lab", "benchmarks")
        for path in ROOT.glob(f"{name}/**/*.py")
    )
    measured = ("docs/experiments/", "docs/quality.md", "docs/structure.md", "docs/layout.md")
    checked = 0
    for name in DOCUMENTS:
        text = re.sub(r"^ *```.*?^ *```$", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.M | re.S)
        if name == "docs/migration.md":  # the other columns are of other packages
            text = "\n".join(re.findall(r"\| ([^|]*) \|$", text.replace("\\|", ""), re.M))
        code = re.findall(r"`([^`]*)`", text)
        for flag in re.findall(
            r"(?<![\w-])--[a-z][\w-]*", "\n".join(each for each in code if "python -m" not in each)
        ):
            known = flag in commands
            if name.startswith(measured):
                known |= f'"{flag}"' in modules or f"{flag.strip('-').replace('-', '_')}:" in modules
            assert known, f"{name}: {flag} is no option"
            checked += 1
    assert checked > 100


def option_names(command):
    """Give the spellings of a command's options, also of those that its help does not show."""
    own = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return own | {"--help", "-h", "--version"}


def test_examples_of_help_have_known_options():
    for names, each in all_commands().items():
        examples = re.findall(r"(?:^|\| ) *detemplate (.*)", each.help or "", re.MULTILINE)
        assert examples or hasattr(each, "commands"), f"detemplate {' '.join(names)} --help has no example"
        for arguments in examples:
            check_options(app, shlex.split(arguments), f"--help: detemplate {arguments}")


def check_options(command, words, place):
    """Check that a command's words begin with names of commands, and that its options are known."""
    while commands := getattr(command, "commands", None):
        if not words:
            return
        assert words[0] in commands, place
        command, *words = commands[words[0]], *words[1:]
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= option_names(command), place


def undocumented(kinds, text):
    """List the commands that a text does not show, and those that lack help, of themselves or of an option."""
    return [
        name
        for name, command in kinds.items()
        if not re.search(rf"(detemplate |`){name}\b", text)
        or not command.help
        or not all(each.help for each in command.params if each.param_type_name == "option")
    ]


def test_every_command_option_and_public_name_is_documented():
    guides = {name: (ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS}
    commands = {" ".join(names): command for names, command in all_commands().items()}
    assert len(commands) > 20
    assert undocumented(commands, "\n".join(guides.values())) == []
    assert undocumented({"nothing": commands["clean"]}, "detemplate clean") == ["nothing"]
    names = guides["docs/python.md"].partition("## Names\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`(?=[^|]*\|[^|]*\|$)", names, re.MULTILINE)) == {*detemplate.__all__} - {
        "__version__"
    }
    assert all(getattr(detemplate, name).__doc__ for name in detemplate.__all__ if name != "__version__")


def test_the_page_of_migration_has_every_option_of_the_peers():
    """Options of trafilatura, readability and jusText, in Python and on the command line."""
    text = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[\w-]*\w", " ".join(re.findall(r"`([^`]*)`", text))))
    trafilatura = pytest.importorskip("trafilatura")
    readability, justext = pytest.importorskip("readability"), pytest.importorskip("justext")
    doors = [trafilatura.extract, trafilatura.bare_extraction, readability.Document, justext.justext]
    options = {name for door in doors for name in inspect.signature(door).parameters} - {"input", "html_text"}
    for module in ("trafilatura.cli", "justext", "readability.readability"):
        code = f"import runpy, sys; sys.argv = ['x', '--help']; runpy.run_module({module!r}, run_name='__main__')"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        options |= set(re.findall(r"(?<![\w-])--[a-z]\w[\w-]*", run.stdout))

    def plain(names):  # in Python and on the command line alike
        return {name.lstrip("-").replace("-", "_") for name in names}

    assert len(plain(options)) > 70
    assert plain(options) - plain(named) == {"help", "version", "list_stoplists"}


def test_an_example_that_fails_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing, silent, wrong, unwritten = blocks(
        "# Title\n\n```sh\ndetemplate clean missing.jsonl -o out.jsonl\n```\n\n```sh\nls missing | cat\n```\n\n"
        "```python\n>>> 1 + 1\n3\n```\n\n```sh\ntrue detemplate clean -o unwritten.jsonl\n```\n"
    )
    with pytest.raises(AssertionError, match=r"missing\.jsonl does not exist"):
        run_shell(missing)
    with pytest.raises(AssertionError, match="exit code 2"):
        run_shell(silent)
    with pytest.raises(AssertionError, match="Got"):
        run_python(wrong, {}, "wrong")
    with pytest.raises(AssertionError, match=r"unwritten\.jsonl was not written"):
        run_shell(unwritten)
    with pytest.raises(AssertionError, match="place"):
        check_options(app, ["clean", "a", "--formats", "text"], "place")


def test_the_examples_of_the_docstrings():
    for module, examples in ((cleaner, 3), (extracting, 1)):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted) == (0, examples), module.__name__
