"""Growing forests with LightGBM; they are applied without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.algorithms.forest import Forest, Tree
from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Table = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Growth:
    """How a forest is grown.

    Attributes
    ----------
    trees, leaves
        How many, and of how many leaves each.
    rate
        What each tree's values are multiplied with.
    columns
        Share of the columns that a tree may look at.
    least
        Rows that a leaf must have.
    ridge
        Weight of the squares of leaves' values.
    bins
        Values that a column is cut into at most.
    """

    trees: int
    leaves: int
    rate: float
    columns: float
    least: int
    ridge: float
    bins: int


def boosting_kit() -> Any:  # noqa: ANN401
    """Import LightGBM, or say how to get it.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: it lacks the system's OpenMP
        raise MissingExtra("training the model of method auto", "train") from error
    return lightgbm


def grow(
    tables: Sequence[Table],
    content: npt.NDArray[np.bool_],
    weight: npt.NDArray[np.float64],
    growth: Growth,
    seed: int,
) -> Forest:
    """Grow a forest whose sums are the log-odds of rows being content.

    Parameters
    ----------
    tables
        Pieces of one table, one below the other.
    content, weight
        One a row of all. At least one row must be content and one not.
    growth
        How.
    seed
        Decides what is random: the same gives the same forest, with the same version of the library and
        the same number of threads.

    Raises
    ------
    MissingExtra
        LightGBM is not installed.
    """
    kit = boosting_kit()
    options = {
        "objective": "binary", "num_leaves": growth.leaves, "learning_rate": growth.rate,
        "feature_fraction": growth.columns, "bagging_fraction": 0.7, "bagging_freq": 1,
        "min_data_in_leaf": growth.least, "lambda_l2": growth.ridge, "max_bin": growth.bins,
        "use_missing": False, "deterministic": True, "force_row_wise": True, "seed": seed, "verbose": -1,
        "boost_from_average": True,
    }  # fmt: skip
    data = kit.Dataset(list(tables), content.astype(np.float32), weight=weight.astype(np.float32))
    booster = kit.train(options, data, growth.trees)
    return Forest.grown(_trees(booster.dump_model()), tables[0].shape[1]).rounded()


def _trees(dump: dict[str, Any]) -> Iterator[Tree]:
    for told in dump["tree_info"]:
        columns: dict[str, list[Any]] = {
            name: [] for name in ("feature", "threshold", "left", "right", "expected")
        }
        values: list[float] = []
        # Each node with the list and the place where its number is to go.
        root: list[int] = [0]
        waiting = [(told["tree_structure"], root, 0)]
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
