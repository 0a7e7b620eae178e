"""From folders of labelled pages to a model file of method ``auto``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, writing
from lab.auto.boosting import boosting_kit
from lab.auto.labelled import read_examples, word_f1
from lab.auto.train import train_auto

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def train_from_labelled(
    inputs: Sequence[str],
    output: str,
    *,
    folds: int,
    families: Sequence[str],
    seed: int,
    tell: Callable[[str], None],
) -> None:
    """Read labelled pages, train, score the held-out pages, and write the model.

    Parameters
    ----------
    inputs
        Folders of labelled pages: sets, or sites with ``sites.json``.
    output
        The model's file. It takes its name when it is whole.
    folds
        Number of folds of the cross-validation, at least 2.
    families
        Patterns of names of sites that form one family each, like ``docs-*``.
    seed
        Seed of what is random.
    tell
        Called with a line of progress.

    Raises
    ------
    UserError
        There is nothing to learn from, or a file cannot be read or written.
    MissingExtra
        LightGBM is not installed.
    """
    kit = boosting_kit()  # its absence is an error before anything is read
    if folds < 2:
        raise UserError(f"--folds {folds}: at least 2 are needed")
    examples, sources = read_examples(inputs, families, seed)
    count = len({example.family for example in examples if example.weight})
    if count < 2 * folds:
        raise UserError(f"{count} families of sites with labelled pages are too few for {folds} folds")
    tell(f"{len(examples):,} pages of {count:,} families of sites")
    about = {
        "inputs": [Path(name).name for name in inputs], "folds": folds, "seed": seed,
        "families": list(families), "pages": len(examples), "lightgbm": kit.__version__,
    }  # fmt: skip
    file = AtomicFile(output)
    try:
        trained = train_auto(examples, folds=folds, seed=seed, about=about, tell=tell)
        scores = word_f1(examples, trained.unseeing, sources)
        trained.model.about["unseen"] = scores
        for kind, (mean, low, high, number) in scores.items():
            tell(f"{kind}: F1 {mean:.4f} [{low:.4f}, {high:.4f}] on {number:,} pages, not seen in training")
        with writing(output):
            file.file.write(trained.model.to_bytes())
        file.commit()
    finally:
        file.discard()
