r"""Digest what every method gives on real sets, and compare the digests of two versions of the code.

    python -m benchmarks.outputs [--methods A,B] [--sets A,B] [--out FILE] [--against FILE]

Each method cleans each set in two passes, and, where it can, in one. A digest covers every page's text,
Markdown, HTML, title, share of template, removed texts with scores and reasons, and sections; another
covers the learnt state of every site. `--against` compares with digests that another version wrote: exit
code 1 and a line for each difference. Nothing is written for a set that raises an error.

Example, to show that a change leaves every byte as it was:

    git stash; python -m benchmarks.outputs --out before.json
    git stash pop; python -m benchmarks.outputs --out after.json --against before.json
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.command import Parser, progress, run, write
from detemplate import Cleaner, Page
from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import PageError, UserError
from detemplate.labelled.datasets import load_sets

if TYPE_CHECKING:
    from detemplate import Result
    from detemplate.labelled.datasets import LabelledSet

SETS: Final = ("cleanportaleval", "dragnet-hosts", "chaos", "swde-22", "sites/exanimo-ru", "sites/0cch-zh")
"""Sets that are cleaned by default: news, blogs, search results, records and two whole sites."""


def cleaned(result: Result) -> bytes:
    """Give everything that a user sees of a cleaned page, as bytes."""
    seen = (
        result.url, result.site, result.title, result.template_share, result.segments,
        result.template_segments, result.text, result.markdown, result.html, result.removed(),
        result.sections,
    )  # fmt: skip
    return json.dumps(seen, ensure_ascii=True).encode() + result.verdict.scores.tobytes()


def digests(method: str, chosen: LabelledSet, *, streaming: bool) -> dict[str, str]:
    """Clean a set; give the digests of the cleaned pages and of the learnt states."""
    cleaner = Cleaner(method, streaming=streaming)
    output, state = hashlib.sha256(), hashlib.sha256()
    for site in chosen.sites():
        pages = []
        for given in site:
            try:
                pages.append(Page(given.url, given.html, site=given.site, keep_document=True))
            except PageError as error:
                output.update(f"{given.id}: {error}".encode())
        if not streaming:
            for page in pages:
                cleaner.learn(page)
        for page in pages:
            output.update(cleaned(cleaner.learn_and_clean(page) if streaming else cleaner.clean(page)))
        if pages:
            state.update(cleaner.detector(pages[0].site).to_bytes())
    cleaner.close()
    return {"output": output.hexdigest(), "state": state.hexdigest()}


def differences(found: dict[str, str], other: dict[str, str]) -> list[str]:
    """List the digests that differ from those of another run, or that it has not, a line each."""
    return [
        f"{name}: {'differs' if name in other else 'is not in the other run'}"
        for name, digest in found.items()
        if other.get(name) != digest
    ]


def main() -> int:
    parser = Parser("outputs", __doc__)
    parser.add_argument("--methods", default=",".join(DETECTORS), help="methods (default: all)")
    parser.add_argument("--sets", default=",".join(SETS), help=f"sets (default {','.join(SETS)})")
    parser.add_argument("--out", type=Path, help="JSON file for the digests")
    parser.add_argument("--against", type=Path, help="digests to compare with")
    arguments = parser.parse_args()
    other: dict[str, str] | None = None
    if arguments.against:
        try:
            other = json.loads(arguments.against.read_text())
        except (OSError, ValueError) as error:
            raise UserError(f"cannot read the digests {arguments.against}: {error}") from error
    runs = [
        (method, chosen, streaming)
        for chosen in load_sets(arguments.sets.split(","))
        for method in arguments.methods.split(",")
        for streaming in ((False, True) if detector_class(method).streams else (False,))
    ]
    found: dict[str, str] = {}
    with progress(len(runs)) as tell:
        for number, (method, chosen, streaming) in enumerate(runs):
            name = f"{method} {chosen.name} {'one pass' if streaming else 'two passes'}"
            tell(name, number)
            for part, digest in digests(method, chosen, streaming=streaming).items():
                found[f"{name}: {part}"] = digest
    if arguments.out:
        write(arguments.out, json.dumps(found, indent=1) + "\n")
    if other is None:
        print(f"{len(found)} digests")
        return 0
    wrong = differences(found, other)
    print("\n".join(wrong) if wrong else f"{len(found)} digests, all as before")
    return int(bool(wrong))


if __name__ == "__main__":
    run(main)
