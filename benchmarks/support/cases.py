"""Small pages, each with what must and must not come out: how many of them the default method gets right."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

import detemplate
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.measure import Figures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CASES: Final = "cases"  # folder of the cases below the data folder


def measure_cases(folder: Path) -> Figures:
    """Clean every case of a folder with method auto, and count those that hold."""
    held = [float(not faults(path.parent)) for path in sorted(folder.glob("*/expected.json"))]
    return Figures(len(held), len(held), {"held": bootstrap_mean(held)}, known={"held": len(held)})


def faults(case: Path) -> list[str]:
    """Clean a case with the other pages of its site; return a line for each check that fails."""
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    others = sorted(case.glob("other*.html"), key=lambda path: int(path.stem.removeprefix("other")))
    url = expected["url"]
    pages = [(url, (case / "page.html").read_bytes())]
    pages += [(urljoin(url, path.name), path.read_bytes()) for path in others]
    result = next(iter(detemplate.clean(pages)))
    found = [fault for check in expected["checks"] for fault in _failed(check, result)]
    metadata = result.metadata.as_dict()
    for name, wanted in expected["metadata"].items():
        if metadata.get(name) not in (wanted if isinstance(wanted, list) else [wanted]):
            found.append(f"{name} is {metadata.get(name)!r}, not {wanted!r}")
    return found


def _failed(check: dict[str, Any], result: detemplate.Result) -> Iterator[str]:
    """Apply one check to the output in its format."""
    output = getattr(result, check.get("format", "text"))
    yield from (f"missing {text!r}" for text in check.get("must", ()) if text not in output)
    yield from (f"kept {text!r}" for text in check.get("must_not", ()) if text in output)
    flags = re.DOTALL | re.MULTILINE
    yield from (f"no match {each!r}" for each in check.get("re", ()) if not re.search(each, output, flags))
    yield from (f"match {each!r}" for each in check.get("not_re", ()) if re.search(each, output, flags))
    for text, times in check.get("count", {}).items():
        if output.count(text) != times:
            yield f"{output.count(text)} times {text!r}, not {times}"
