"""The process keeps the memory of a page for the next one."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

CODE = """\
import resource
from detemplate import Page

html = "<p class=a>word <b>and</b> <a href=x>link</a></p>" * 3000
faults = []
for _ in range(10):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    Page("u", html)
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(faults))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_memory_of_pages_is_kept() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20  # hundreds, where the memory goes back to the system
