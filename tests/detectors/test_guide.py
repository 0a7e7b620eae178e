"""The guide "Add a method", followed to the letter: its toy method passes the contract suite and cleans pages."""

import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import pytest

import detemplate.detectors
from detemplate.detectors import registry
from tests.detectors import test_damaged_states as damaged
from tests.detectors.test_contract import Contract
from tests.support.commands import cli
from tests.support.helpers import made_page

ROOT = Path(__file__).parents[2]
METHODS = tuple(registry.DETECTORS)
GUIDE = (ROOT / "docs" / "add-a-method.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(path, language, code) for path, language, code in BLOCK.findall(GUIDE)]
"""The guide's code: the file that it is for (empty for commands and examples), its language, itself."""


def block(path):
    """Give the guide's one block for a file."""
    (code,) = [code for name, _, code in BLOCKS if name == path]
    return code


def patched(source, diff):
    """Add a diff's lines to a file; its other lines must stand there, once."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        assert {line[0] for line in lines} <= {" ", "+"}
        old = "".join(line[1:] for line in lines if line[0] == " ")
        assert source.count(old) == 1, f"registry.py lacks the guide's lines {old!r}"
        source = source.replace(old, "".join(line[1:] for line in lines))
    return source


@pytest.fixture(scope="module")
def method(tmp_path_factory):
    """Add the toy method as the guide says: a file among the detectors, a line in the registry."""
    path = "src/detemplate/detectors"
    folder = tmp_path_factory.mktemp("detectors")
    (folder / "toy.py").write_text(block(f"{path}/toy.py"), encoding="utf-8")
    source = patched(Path(registry.__file__).read_text(encoding="utf-8"), block(f"{path}/registry.py"))
    changed = ModuleType(registry.__name__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detemplate.detectors, "__path__", [*detemplate.detectors.__path__, str(folder)])
        exec(compile(source, "registry.py", "exec"), changed.__dict__)
        assert list(changed.DETECTORS) == [*registry.DETECTORS, "toy"]
        patch.setitem(registry.PLACES, "toy", changed.PLACES["toy"])
        yield "toy"
    del sys.modules["detemplate.detectors.toy"], detemplate.detectors.toy


class TestToy(Contract):
    """All checks of the contract suite."""


def test_damaged_states(method):
    damaged.test_states_cut_off_anywhere_are_refused(method)
    damaged.test_wrong_values_anywhere_in_the_header_never_crash(method)


def test_the_example_cleans_its_pages(method, capsys):
    (example,) = [code for path, language, code in BLOCKS if language == "python" and not path]
    exec(compile(example, "example", "exec"), {})
    assert capsys.readouterr().out.split("\n") == [*(f"This is page {number}." for number in range(5)), ""]


def test_the_commands_know_it(method, tmp_path, printed):
    listed = printed("methods")
    assert "\ntoy: texts that recur" in listed
    assert "--set min_df=3  a text on at least this many pages is template" in listed
    (tmp_path / "pages").mkdir()
    for number in range(4):
        (tmp_path / "pages" / f"{number}.html").write_bytes(made_page(number).canonical)
    output = tmp_path / "clean.jsonl"
    clean = [
        "clean", str(tmp_path / "pages"), "--method", "toy", "--set", "min_df=2", "-o", str(output), "-q",
    ]  # fmt: skip
    cli(*clean)
    rows = output.read_text(encoding="utf-8")
    assert rows.count("Title number") == 4
    assert "About us" not in rows


SHAPE = [
    "Idea", "Picture", "Parameters", "Guarantee", "Cost", "When to use it", "The paper",
    "Our figures beside the paper's",
]  # fmt: skip
"""The first sections of each method's page."""
TABLE = "docs/methods/README.md"


def check_shape(page, method):
    assert page.startswith(f"# `{method}`: ")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE)[: len(SHAPE)] == SHAPE
    assert f"<!-- parameters: {method} -->\n" in page
    assert f"](../pictures/{method}.svg)" in page


def test_its_pages_look_like_those_of_the_others(method):
    check_shape(block(f"docs/methods/{method}.md"), method)
    table = (ROOT / TABLE).read_text(encoding="utf-8")
    rows = [
        line for line in table.splitlines() if re.match(r"\| \[`\w+`\]\(\w+\.md\)[^|]*\|[^|]+\|[^|]+\|", line)
    ]
    row = block(TABLE).strip()
    assert {each.count("|") for each in rows} == {row.count("|")}
    assert row.startswith(f"| [`{method}`]({method}.md) |")


def test_every_method_has_its_page_and_its_row():
    table = (ROOT / TABLE).read_text(encoding="utf-8")
    for name in METHODS:
        check_shape((ROOT / "docs" / "methods" / f"{name}.md").read_text(encoding="utf-8"), name)
        assert f"\n| [`{name}`]({name}.md)" in table


@pytest.fixture(scope="module")
def drawing():
    """A function that draws the picture of a method."""
    drawn = runpy.run_path(str(ROOT / "docs" / "make_pictures.py"))
    pages = drawn["site"]()
    return lambda method: str(drawn["drawing"](method, drawn["result_of"](method, pages)))


def shown(picture):
    """Give the texts of a picture, and whether they are kept or gone; scores may differ in their last digits."""
    return re.findall(r'class="(kept|gone)">([^<]*)<', picture)


def test_the_idea_of_every_method_is_drawn():
    drawn = runpy.run_path(str(ROOT / "docs" / "make_ideas.py"))
    assert sorted(drawn["IDEAS"]) == sorted(METHODS)
    for name in METHODS:
        picture = (ROOT / "docs" / "pictures" / f"idea-{name}.svg").read_text(encoding="utf-8")
        assert picture == drawn["drawing"](name), f"run python docs/make_ideas.py {name}"
        page = (ROOT / "docs" / "methods" / f"{name}.md").read_text(encoding="utf-8")
        idea = page.partition("## Idea\n")[2].partition("\n## ")[0]
        assert re.search(rf"!\[[^\]]{{40,}}\]\(\.\./pictures/idea-{name}\.svg\)", idea)


@pytest.mark.parametrize("name", METHODS)
def test_the_picture_of_a_method_shows_what_it_does(name, drawing):
    picture = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert len(shown(picture)) == 30
    assert shown(drawing(name)) == shown(picture), f"run python docs/make_pictures.py {name}"


def test_there_is_a_picture_for_each_method():
    drawn = {path.stem for path in (ROOT / "docs" / "pictures").glob("*.svg")}
    ideas = {f"idea-{name}" for name in METHODS}
    assert drawn == set(METHODS) | ideas
