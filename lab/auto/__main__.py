"""Train the model of method auto on folders of labelled pages. Needs the extra train.

A folder is a set, with pages.jsonl.zst (id, url, site, html) and gold.jsonl.zst (id, text); or it has
sites.json and a folder for each site. --left-out writes the models of the cross-validation, for measuring:
each has not seen the families of its fold. They learn from sites of part test, too, and no other is made.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, writing
from detemplate.io.sources.kinds import refuse_outputs
from lab.auto.labelled import read_examples, word_f1
from lab.auto.train import boosting_kit, train_auto
from lab.harness.command import Parser, log, run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_EXAMPLE = """\
example:
  python -m lab.auto labelled/ labelled-sites/ --family 'docs-*' -o my.model
  detemplate clean pages/ --set model=my.model -o clean.jsonl
  python -m lab.auto labelled/ labelled-sites/ --left-out folds/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, score the held-out pages, and write the model; return the exit code."""
    parser = Parser("lab.auto", __doc__, _EXAMPLE)
    parser.add_argument("inputs", nargs="+", metavar="FOLDER", help="folders of labelled pages")
    parser.add_argument("-o", "--output", metavar="FILE", help="the file of the model")
    parser.add_argument(
        "--left-out", type=Path, metavar="DIR", help="folder for the models of the cross-validation"
    )
    parser.add_argument("--folds", type=int, default=5, metavar="N", help="folds of the cross-validation")
    parser.add_argument(
        "--family", action="append", default=[], metavar="PATTERN",
        help="sites that match are one family, which is not split over folds; can be repeated",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random choices")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    chosen = parser.parse_args(arguments)
    if (chosen.output is None) == (chosen.left_out is None):
        raise UserError("give either -o FILE or --left-out DIR")
    refuse_outputs(chosen.inputs, [chosen.output or str(chosen.left_out)])
    tell: Callable[[str], None] = (lambda _: None) if chosen.quiet else log
    kit = boosting_kit()  # its absence is an error before anything is read
    folds, seed = chosen.folds, chosen.seed
    if folds < 2:
        raise UserError(f"--folds {folds}: at least 2 are needed")
    examples, sources = read_examples(chosen.inputs, chosen.family, seed, every=chosen.left_out is not None)
    count = len({example.family for example in examples if example.weight})
    if count < 2 * folds:
        raise UserError(f"{count} families of sites with labelled pages are too few for {folds} folds")
    tell(f"{len(examples):,} pages of {count:,} families of sites")
    about = {
        "inputs": [Path(name).name for name in chosen.inputs], "folds": folds, "seed": seed,
        "families": chosen.family, "pages": len(examples), "lightgbm": kit.__version__,
    }  # fmt: skip
    file = AtomicFile(chosen.output) if chosen.output else None
    try:
        trained = train_auto(examples, folds=folds, seed=seed, about=about, tell=tell)
        scores = word_f1(examples, trained.unseeing, sources)
        trained.model.about["unseen"] = scores
        for kind, (mean, low, high, number) in scores.items():
            tell(f"{kind}: F1 {mean:.4f} [{low:.4f}, {high:.4f}] on {number:,} pages, not seen in training")
        if file is not None:
            with writing(chosen.output):
                file.file.write(trained.model.to_bytes())
            file.close()
            return 0
    finally:
        if file is not None:
            file.abort()
    with writing(chosen.left_out):
        chosen.left_out.mkdir(parents=True, exist_ok=True)
        for fold, model in enumerate(trained.unseeing):
            (chosen.left_out / f"{fold}.model").write_bytes(model.to_bytes())
    return 0


if __name__ == "__main__":
    run(main)
