"""Kernels that are not compiled are told once, with the command that compiles them; else nothing is told."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from detemplate.kernels import KERNELS, WIDE, uncompiled
from tests.support.imports import ROOT

EXAMPLE = ROOT.parents[1] / "examples" / "rustbook"


def run(code: str, *arguments: str, without: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter, in which some modules cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({without!r}))"
    return subprocess.run(
        [sys.executable, "-W", "default", "-c", f"{blocked}\n{code}", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_command_says_it_in_one_line(tmp_path):
    code = "from detemplate.cli import main; sys.exit(main(sys.argv[1:]))"
    missing = (KERNELS[0].module, KERNELS[-1].module)
    command = ("clean", str(EXAMPLE / "ch00-00-introduction.html"), "-o", str(tmp_path / "cleaned.jsonl"))
    lines = [line for line in run(code, *command, without=missing).stderr.splitlines() if "kernels" in line]
    [line] = lines
    assert line.startswith(f"detemplate: 2 of {len(KERNELS)} kernels are not compiled: up to 30 × slower; ")
    words = shlex.split(line.partition("then: ")[2])
    assert words[:5] == ["DETEMPLATE_REQUIRE_KERNELS=1", sys.executable, "-m", "pip", "install"]
    assert "--no-cache-dir" in words


def test_python_is_warned_once():
    code = "import detemplate; print([r.text for r in detemplate.clean([('http://a/', '<p>Words')])])"
    done = run(code, without=tuple(kernel.module for kernel in KERNELS))
    assert done.stdout == "['Words']\n"
    found = re.findall(r"SlowKernels: (\d+) of (\d+) kernels", done.stderr)
    assert found == [(str(len(KERNELS)), str(len(KERNELS)))]


@pytest.mark.skipif(bool(uncompiled()), reason="kernels are not compiled")
def test_compiled_kernels_are_no_cause_for_a_warning():
    code = (
        f"import importlib\nfor name in {[kernel.face for kernel in KERNELS]}: importlib.import_module(name)"
    )
    assert run(code).stderr == ""


@pytest.mark.skipif(bool(uncompiled()), reason="kernels are not compiled")
def test_a_kernel_without_its_builds_for_wide_vectors_is_compiled():
    wide = [kernel for kernel in KERNELS if kernel.wide]
    assert wide
    code = "\n".join(f"import {kernel.face}" for kernel in wide)
    assert run(code, without=tuple(f"{kernel.module}{end}" for kernel in wide for end in WIDE)).stderr == ""
