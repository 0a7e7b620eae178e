"""The fuzzer guided by coverage runs each target, and finds a fault that is planted."""

import sys
from importlib.util import find_spec

import pytest

from benchmarks import fuzz_guided
from benchmarks.fuzz_guided import page_seeds, write_dictionary, write_seeds
from detemplate.errors import UserError

needs_atheris = pytest.mark.skipif(
    find_spec("atheris") is None, reason="the extra fuzz is not installed: pip install 'detemplate[fuzz]'"
)

PLANTED = """
import sys
import atheris
import detemplate.run.run  # not instrumented: that takes longer than to find the fault
from benchmarks.support import guided

def planting(*given):
    from detemplate.output.result import Result
    text = Result.text.func
    def broken(self):
        if any(tag in str(self.page.source) for tag in ("<select", "<button", "<form", "<dl", "<th>", "<x-y")):
            raise KeyError("planted")
        return text(self)
    Result.text = property(broken)
    setup(*given)

setup, atheris.Setup = atheris.Setup, planting
guided.main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
"""
"""The program that fuzzes, where the text of pages with some elements cannot be had."""


@needs_atheris
def test_a_planted_fault_is_found_and_runs_again(tmp_path):
    program = tmp_path / "planted.py"
    program.write_text(PLANTED, "utf-8")
    (tmp_path / "new").mkdir()
    seeds = write_seeds(tmp_path, page_seeds([], 1024))
    given = ["pages", "segments", str(tmp_path), f"-artifact_prefix={tmp_path}/"]
    options = ["-runs=20000", "-seed=1", "-max_len=1024", f"-dict={write_dictionary(tmp_path)}"]
    found = fuzz_guided.fuzz([*given, *options, str(tmp_path / "new"), str(seeds)], tmp_path, [str(program)])
    assert found.fault == "KeyError: 'planted'"
    assert found.executions > 100  # no seed shows it
    data = found.saved.read_bytes()
    again = fuzz_guided.fuzz([*given, str(found.saved)], tmp_path, [str(program)])
    assert (again.fault, found.saved.read_bytes()) == (found.fault, data)


def test_without_atheris(monkeypatch):
    monkeypatch.setattr(fuzz_guided, "find_spec", lambda _: None)
    with pytest.raises(UserError) as raised:
        fuzz_guided.main(["--target", "pages"])
    said = "3.11, 3.12 or 3.13" if sys.version_info >= (3, 14) else "pip install 'detemplate[fuzz]'"
    assert said in str(raised.value)
