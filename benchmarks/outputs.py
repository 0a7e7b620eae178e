r"""Digest the outputs of every method on labelled sets, and compare them with those of another version.

    python -m benchmarks.outputs [--methods A,B] [--sets A,B] [--out FILE] [--against FILE]

Each method cleans each set in two passes and, if it can, in one. For each of these runs there are two SHA-256
digests: of every page's output (text, Markdown, HTML, title, template share, removed texts with scores and
reasons, sections), and of every site's learned state. `--against` names the digests of another version; where
digests differ or are new, each gets a line and the exit code is 1.

To show that a change leaves every byte as it was:

    git stash; python -m benchmarks.outputs --out before.json
    git stash pop; python -m benchmarks.outputs --out after.json --against before.json
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate import Page
from detemplate.detectors.registry import detector_class
from detemplate.errors import PageError, UserError
from detemplate.run.cleaner import Engine
from lab.harness.command import Parser, known_methods, progress, run, split_names, write
from lab.labelled.datasets import load_sets

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from detemplate import Result
    from lab.labelled.pages import LabelledSet

SETS: Final = ("cleanportaleval", "dragnet-hosts", "chaos", "swde-22", "sites/exanimo-ru", "sites/0cch-zh")
"""Sets that are cleaned by default: three of articles, one of records, two whole sites."""


def cleaned(result: Result) -> bytes:
    """Return all outputs of a cleaned page as bytes."""
    outputs = (
        result.url, result.site, result.title, result.template_share, result.segments,
        result.template_segments, result.text, result.markdown, result.html, result.removed(),
        result.sections,
    )  # fmt: skip
    return json.dumps(outputs, ensure_ascii=True).encode() + result.verdict.scores.tobytes()


def digests(method: str, chosen: LabelledSet, *, streaming: bool) -> dict[str, str]:
    """Clean a set; return SHA-256 digests of the ``output`` of all pages and the ``state`` of all sites."""
    cleaner = Engine(method, streaming=streaming)
    output, state = hashlib.sha256(), hashlib.sha256()
    for site in chosen.sites():
        pages = []
        for labelled in site:
            try:
                pages.append(Page(labelled.url, labelled.html, site=labelled.site, keep_document=True))
            except PageError as error:
                output.update(f"{labelled.id}: {error}".encode())
        if not streaming:
            for page in pages:
                cleaner.learn(page)
        for page in pages:
            output.update(cleaned(cleaner.learn_and_clean(page) if streaming else cleaner.clean(page)))
        if pages:
            state.update(cleaner.detector(pages[0].site).to_bytes())
    cleaner.close()
    return {"output": output.hexdigest(), "state": state.hexdigest()}


def differences(current: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return a line for each digest that differs from that of another run, or is missing there."""
    return [
        f"{name}: {'differs' if name in other else 'is not in the other run'}"
        for name, digest in current.items()
        if other.get(name) != digest
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    other = _read_digests(options.against) if options.against else None
    runs = [
        (method, chosen, streaming)
        for chosen in load_sets(split_names(options.sets))
        for method in known_methods(options.methods)
        for streaming in ((False, True) if detector_class(method).streams else (False,))
    ]
    current: dict[str, str] = {}
    with progress(len(runs)) as show:
        for number, (method, chosen, streaming) in enumerate(runs):
            name = f"{method} {chosen.name} {'one pass' if streaming else 'two passes'}"
            show(name, number)
            for part, digest in digests(method, chosen, streaming=streaming).items():
                current[f"{name}: {part}"] = digest
    if options.out:
        write(options.out, json.dumps(current, indent=1) + "\n")
    if other is None:
        print(f"{len(current)} digests")
        return 0
    changed = differences(current, other)
    print("\n".join(changed) if changed else f"{len(current)} digests, all as before")
    return 1 if changed else 0


def _read_digests(path: Path) -> dict[str, str]:
    try:
        digests = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the digests {path}: {error}") from error
    if not isinstance(digests, dict):
        raise UserError(f"{path} has no digests; write them with --out")
    return digests


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.outputs", __doc__)
    parser.add_argument("--methods", default="all", help="all, or names separated by commas (default all)")
    names = ",".join(SETS)
    parser.add_argument("--sets", default=names, help=f"names separated by commas (default {names})")
    parser.add_argument("--out", type=Path, help="JSON file for the digests")
    parser.add_argument("--against", type=Path, help="digests to compare with")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
