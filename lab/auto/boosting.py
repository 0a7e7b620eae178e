"""Training forests with LightGBM; they are applied without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.algorithms.forest import Forest, Tree
from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    Table = npt.NDArray[np.float32]


def boosting_kit() -> Any:  # noqa: ANN401
    """Import LightGBM; raises MissingExtra where it is not installed."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: it lacks the system's OpenMP
        raise MissingExtra("training the model of method auto", "train") from error
    return lightgbm


def grow(
    tables: Sequence[Table],
    content: npt.NDArray[np.bool_],
    weight: npt.NDArray[np.float64],
    growth: Mapping[str, float],
    seed: int,
) -> Forest:
    """Train a forest whose sums are the log-odds of rows being content; `tables` are parts of one table.

    `growth` has parameters of LightGBM, with `num_trees`.
    Equal seeds give equal forests, with the same version of LightGBM and the same number of threads.
    """
    kit = boosting_kit()
    options = {
        "objective": "binary", "bagging_fraction": 0.7, "bagging_freq": 1, "boost_from_average": True,
        "use_missing": False, "deterministic": True, "force_row_wise": True, "seed": seed, "verbose": -1,
        **{name: value for name, value in growth.items() if name != "num_trees"},
    }  # fmt: skip
    data = kit.Dataset(list(tables), content.astype(np.float32), weight=weight.astype(np.float32))
    booster = kit.train(options, data, growth["num_trees"])
    return Forest.grown(_trees(booster.dump_model()), tables[0].shape[1]).rounded()


def _trees(dump: dict[str, Any]) -> Iterator[Tree]:
    """Read the trees of LightGBM's model; nodes are numbered in preorder, leaves from the left."""
    for tree in dump["tree_info"]:
        columns: dict[str, list[Any]] = {
            name: [] for name in ("feature", "threshold", "left", "right", "expected")
        }
        values: list[float] = []
        # Each node with the list and the place that its number goes to.
        root: list[int] = [0]
        waiting = [(tree["tree_structure"], root, 0)]
        while waiting:
            node, side, place = waiting.pop()
            if "leaf_value" in node:
                side[place] = ~len(values)
                values.append(node["leaf_value"])
                continue
            number = len(columns["feature"])
            side[place] = number
            columns["feature"].append(node["split_feature"])
            columns["threshold"].append(node["threshold"])
            columns["expected"].append(node["internal_value"])
            columns["left"].append(0)
            columns["right"].append(0)
            waiting += [
                (node["right_child"], columns["right"], number),
                (node["left_child"], columns["left"], number),
            ]
        yield Tree(
            columns["feature"], columns["threshold"], columns["left"], columns["right"], values,
            columns["expected"],
        )  # fmt: skip
