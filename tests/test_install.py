"""The documented install lines, with the pip that comes with this Python."""

import re
import shlex
import subprocess
import tomllib
import venv
from collections import defaultdict
from importlib import metadata
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]


def install_lines():
    """Give the arguments of each documented command that installs from the tree, or with its constraints."""
    for path in [TREE / "README.md", TREE / "CONTRIBUTING.md", *sorted(TREE.glob("docs/**/*.md"))]:
        for line in re.findall(r"pip install ([^\n`&]+)", path.read_text(encoding="utf-8")):
            arguments = line.partition("#")[0].strip()
            if re.search(r"(^| )'?\.(\[|'| |$)|constraints", arguments):
                yield arguments


def test_all_are_found():
    found = set(install_lines())
    assert {"-q .", "-c constraints.txt -e '.[dev,peers]'", "-c constraints.txt readability-lxml"} <= found
    assert any("[test]" in each for each in found)


def required(extra):
    """Give what an extra of this project requires, also by other extras."""
    project = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for each in project["optional-dependencies"][extra]:
        inner = re.match(r"detemplate\[([\w,]+)\]", each)
        if inner is None:
            yield each
        for name in inner[1].split(",") if inner else ():
            yield from required(name)


def test_no_line_asks_for_one_extra_in_two_spellings():
    """On which pip crashes before 23.3, with an assertion."""
    checked = 0
    for line in install_lines():
        spelt = defaultdict(set)
        asked = [each for extras in re.findall(r"\.\[([\w,]+)\]", line) for each in extras.split(",")]
        packages = [re.split(r"[=<>;\[ ]", each)[0] for extra in asked for each in required(extra)]
        for package in packages:
            try:
                needed = metadata.requires(package) or []
            except metadata.PackageNotFoundError:  # not installed here: the test below asks pip
                continue
            checked += 1
            for name, extra in re.findall(r"^([\w.-]+)\[([\w.-]+)\]", "\n".join(needed), re.MULTILINE):
                spelt[name.lower(), re.sub("[-_.]+", "-", extra)].add(extra)
        assert {key: names for key, names in spelt.items() if len(names) > 1} == {}, line
    assert checked > 50


@pytest.mark.slow
@pytest.mark.parametrize("line", sorted({*install_lines()}))
def test_the_bundled_pip_resolves_every_line(line, tmp_path):
    """Only what it would install: nothing is built but the project's metadata."""
    venv.create(tmp_path / "v", with_pip=True)
    words = [each for each in shlex.split(line) if each not in {"-e", "-q", "-U"}]
    pip = [str(tmp_path / "v" / "bin" / "python"), "-m", "pip", "install", "--dry-run", "-qq"]
    done = subprocess.run([*pip, *words], cwd=TREE, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
