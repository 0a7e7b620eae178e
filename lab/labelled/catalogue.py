"""The labelled sets by name: kind of gold, what they may be used for, and when they are measured."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Kind = Literal["text", "site", "values"]
"""Kind of gold: a page's main text; the words inside and outside its content; or values of attributes."""
Part = Literal["train", "test"]
"""Use of a set: models may learn from ``train``; ``test`` is for measuring only."""
Measured = Literal["always", "auto", "named"]
"""Methods that a set is measured with by default: all; ``auto`` and the peers; none."""


class Description(NamedTuple):
    """What is known of a set without reading it: its folder, kind of gold, use, and how it is measured."""

    name: str
    kind: Kind
    part: Part
    measured: Measured = "always"
    by: Literal["type", "lang"] = "type"  # field of a page by which figures are split


SITES: Final = "sites"  # folder of the labelled sites; as a name of a set it stands for all of them
PRODUCTS: Final = "products"
"""Name of the set of product pages; `lab.labelled.products` derives it from other sets."""
CATALOGUE: Final = (
    Description("wcxb-dev", "text", "train"),
    Description("cleanportaleval", "text", "test"),
    Description("dragnet-hosts", "text", "test"),
    Description("chaos", "text", "test"),
    Description("swde-booksamillion", "values", "test"),
    Description("swde-22", "values", "test"),
    Description("daniel-test", "text", "test", "auto", "lang"),
    Description("records-test", "text", "test", "auto"),
    Description("postlight-test", "text", "test", "auto"),
    Description("magic-forum", "text", "train", "auto"),
    Description("zh-web", "text", "test", "auto"),
    Description("l3s-gn1", "text", "test", "auto"),
    Description("cleaneval", "text", "test", "auto"),
    Description(PRODUCTS, "values", "train", "auto"),
    Description("harvest-forums", "text", "train", "auto"),
    Description("bananalyzer", "values", "train", "auto"),
    Description("zyte-product", "values", "train", "auto"),
    Description("recipes-train", "values", "train", "auto"),
    Description("daniel-train", "text", "train", "named", "lang"),
    Description("records-train", "text", "train", "named"),
    Description("postlight-train", "text", "train", "named"),
)
"""All sets but the sites. Those measured by default with every method come first."""
TEXT_SETS: Final = tuple(each.name for each in CATALOGUE if each.kind == "text" and each.measured == "always")
"""Names of the sets of kind ``text`` that every method is measured on."""
FURTHER_SETS: Final = tuple(each.name for each in CATALOGUE if each.measured == "auto")
"""Names of the sets that only ``auto`` and the peers are measured on by default."""
TRAINING_HALVES: Final = tuple(each.name for each in CATALOGUE if each.measured == "named")
"""Names of the sets that are measured only where they are named."""


def has_floors(method: str, name: str) -> bool:
    """Tell whether a method has floors on a set or part: auto where measured, others not for training."""
    whole = name.partition("/")[0]
    trained = name in (SITES, f"{SITES}/train") or any(
        each.part == "train" for each in CATALOGUE if each.name == whole
    )
    return measured_by_default(method, name) and (method == "auto" or not trained)


def measured_by_default(method: str, name: str) -> bool:
    """Tell whether a method is measured on a set, or a part such as ``daniel-test/zh``, that nobody named."""
    whole = name.partition("/")[0]
    return whole not in TRAINING_HALVES and (method == "auto" or whole not in FURTHER_SETS)
