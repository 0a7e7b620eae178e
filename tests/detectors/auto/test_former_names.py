"""Models made before the segment features had their present names."""

from __future__ import annotations

import hashlib

import pytest

from detemplate.detectors.auto.context import NAMES as CONTEXT
from detemplate.detectors.auto.context import OWN
from detemplate.detectors.auto.model import SHIPPED, AutoModel
from detemplate.detectors.state import StateError, pack, unpack
from detemplate.features.segment import NAMES as SEGMENT_FEATURES

AROUND = "a p li nav header footer aside main article form table figure pre button option blockquote span h"
TEXT = "dig up dot wlen depth pos posabs fromend rpos seg segend bpos"
COHORT = "n share avg long dot spread first"
PARENTS = "dup ptag prep ppchars gptag grep"
GROUP = (
    "tag chars share ad links lpw dens segs cps pch pc comma dot dig img inp h pn li els start endpos depth kids "
    "ofpar rep long"
)
NEAR = (
    "t0share t0ad t0dep t0slot b0chars b0ad b1chars b1ad b-1chars b-1ad b0dot bw bn "
    "win3 win8 win20 wl20 win60 wl60 lbefore hlev hdist hnum hinlink h1d nh1 h1lca h1lch"
)
PAGE = "chars segs ad pc links img li h dens inp long longsh maxslot dot form main art cw dig code"
FORMER = [
    *("chars", "words"),
    *(f"in_{name}" for name in AROUND.split()),
    *TEXT.split(),
    *(f"{cohort}_{name}" for cohort in ("path", "slot") for name in COHORT.split()),
    *PARENTS.split(),
    *(f"g{level}{name}" for level in range(6) for name in GROUP.split()),
    *(f"t{number}{name}" for number in range(3) for name in ("in", "before", "lca", "lch")),
    *NEAR.split(),
    *(f"P{name}" for name in PAGE.split()),
    *("vsum", "vmin", "vmax", "v0", "v1", "v2", "vn"),
]
"""Former names of the segment features, in the same order."""

FORMER_SHIPPED = "aef7c5e10c69e6a7b8d94b8bb753aa0d8e8220b65fb3342adba5162000b7b19b"
"""SHA-256 of the shipped model with the former names."""


def former(shipped: bytes, names: list[str]) -> bytes:
    """The shipped model with other names of its columns."""
    arrays = {"hashes": "<u8", "weights": "<f4", "page": "|u1", "site": "|u1"}
    header, values = unpack(shipped, "auto model", 1, arrays)
    name_of = dict(zip(SEGMENT_FEATURES, names, strict=True))
    context = [name_of[name] if name in OWN else name for name in CONTEXT]
    header["names"] = f"{' '.join(names)}; {', '.join(context)}"
    return pack("auto model", 1, header, values)


def test_the_shipped_model_was_only_renamed() -> None:
    shipped = SHIPPED.read_bytes()
    data = former(shipped, FORMER)
    assert hashlib.sha256(data).hexdigest() == FORMER_SHIPPED
    assert AutoModel.from_bytes(data).to_bytes() == shipped


def test_former_names_in_another_order_are_refused() -> None:
    data = former(SHIPPED.read_bytes(), [FORMER[1], FORMER[0], *FORMER[2:]])
    with pytest.raises(StateError, match="other columns"):
        AutoModel.from_bytes(data)
