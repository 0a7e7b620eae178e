"""Training forests with LightGBM; they are applied without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.algorithms.forest import Forest, Tree
from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    trees = [_tree(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    return Forest.grown(trees, tables[0].shape[1]).rounded()


def _tree(structure: dict[str, Any]) -> Tree:
    """Read a tree of LightGBM's model; nodes are numbered in preorder, leaves from the left."""
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    right: list[int] = []
    expected: list[float] = []
    values: list[float] = []

    def add(node: dict[str, Any]) -> int:
        """Add a node and those below it; return its number, for a leaf its complement."""
        if "leaf_value" in node:
            values.append(node["leaf_value"])
            return ~(len(values) - 1)
        number = len(feature)
        feature.append(node["split_feature"])
        threshold.append(node["threshold"])
        expected.append(node["internal_value"])
        left.append(0)
        right.append(0)
        left[number], right[number] = add(node["left_child"]), add(node["right_child"])
        return number

    add(structure)
    return Tree(feature, threshold, left, right, values, expected)
