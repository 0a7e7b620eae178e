"""Options of method ``styletree``."""

from __future__ import annotations

import dataclasses

from detemplate.detectors.base import Options


@dataclasses.dataclass(frozen=True, slots=True)
class StyleTreeOptions(Options):
    """Options of :class:`~detemplate.detectors.styletree.detector.StyleTree`.

    The attributes are the paper's. The paper chooses the threshold by hand for each site; the default here
    is the same for all sites. The paper's γ is no option: it changes the importance of elements, but not
    which texts lie in noise.
    """

    threshold: float = dataclasses.field(
        default=0.3, metadata={"help": "t: elements with a composite importance below t are noise"}
    )
    attributes: str = dataclasses.field(
        default="align bgcolor border height style valign width",
        metadata={"help": "attributes that belong to an element's presentation, separated by spaces"},
    )
    features: int = dataclasses.field(
        default=64, metadata={"help": "most features to remember of a leaf's content (a sample)"}
    )
    max_nodes: int = dataclasses.field(
        default=4_000_000,
        metadata={"help": "most nodes and features to remember per site; the rarest go first"},
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(0 <= self.threshold <= 1, "threshold", "between 0 and 1")
        self.require(isinstance(self.attributes, str), "attributes", "names separated by spaces")
        for name in ("features", "max_nodes"):
            value: object = getattr(self, name)
            self.require(isinstance(value, int) and 1 <= value < 2**31, name, "at least 1 and below 2**31")

    def names(self) -> tuple[bytes, ...]:
        """Return the names of the attributes, distinct and sorted."""
        return tuple(sorted({name.encode("utf-8", "replace") for name in self.attributes.lower().split()}))
