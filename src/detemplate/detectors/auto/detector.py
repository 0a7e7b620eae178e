"""The default method: page evidence and site evidence, one score a segment, smoothed over the page.

The first look scores each segment by what the page alone says about it. The second look scores it again by
what the first look found around it and by how many of the site's other pages hold the segment, its text,
the groups around it and its slot. On the first page of a site there are no others, and only the page speaks.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.lifetime import lifetimes
from detemplate.algorithms.recurrence import recurrence_table
from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.context import context, without_site
from detemplate.detectors.auto.decision import SURELY, TOGETHER, expected_cut, joined, settled, smoothed
from detemplate.detectors.auto.fields import Places, fields, records
from detemplate.detectors.auto.headline import headline
from detemplate.detectors.auto.model import model_of
from detemplate.detectors.auto.options import ALL, KEEP, PAGE, RECORDS, AutoOptions
from detemplate.detectors.auto.sitekeys import BASE, SEGMENT_SHARE, SiteKeys
from detemplate.detectors.auto.surroundings import Surroundings
from detemplate.detectors.base import Detector, Options
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.verdict import Verdict
from detemplate.features.segment import FEATURE_GROUPS, NAMES, segment_features
from detemplate.page.title import title_segments

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table
    from detemplate.detectors.auto.model import AutoModel
    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int32]

_VERSION: Final = 1
_COLUMNS: Final = {"keys": "<u8", "df": "<i4", "last": "<i4"}
_NEWS: Final = BASE.index("slot news")
_SLOT: Final = BASE.index("slot share")
_SAME: Final = NAMES.index("slot_count")
_LINKED: Final = NAMES.index("in_a")
_TOLD: Final = 2
_FIELD: Final = "; it fills a place that the site keeps for what is new"
_TITLED: Final = "; it is the page's title"
_SURE: Final = 1e-6
_GROUPS, _GROUP = np.unique(FEATURE_GROUPS, return_inverse=True)


class Look(NamedTuple):
    """What the first look at a page that has segments found.

    Attributes
    ----------
    evidence, around
        The page's evidence, and what stands around each segment.
    content
        How much of content each segment looks by the page alone, in [0, 1].
    keys
        What the page may have in common with others.
    """

    features: SegmentFeatures
    around: Surroundings
    content: Reals
    keys: SiteKeys

    @classmethod
    def at(cls, page: Page, model: AutoModel) -> Look:
        """Look at a page."""
        found = segment_features(page, model.vocabulary)
        return cls.of(page, found, sigmoid(model.page.sums(found.table)))

    @classmethod
    def of(cls, page: Page, found: SegmentFeatures, content: Reals) -> Look:
        """Look at a page whose segments have been scored."""
        around = Surroundings.of(page, found)
        return cls(found, around, content, SiteKeys.of(page, found, around, content))


class Auto(Detector):
    """Page evidence and site evidence by two learned looks.

    Parameters
    ----------
    options
        See :class:`AutoOptions`.

    Notes
    -----
    A page that repeats nine tenths of what looks like content on pages before it is a copy (a mirror, a
    printer version, a variant of a product): it counts among the pages, but it is not learnt, for what it
    repeats is no template. Site evidence is about *other* pages: a page that has been learnt does not count
    for itself.

    A segment is template if leaving it out raises the F1 that is expected of the page's output (see
    :func:`expected_cut`). So the least templated segments of a page are always kept, and a page of which the
    forests are unsure keeps more. Scores are shifted so that 0.5 is this border on every page.
    """

    name: ClassVar[str] = "auto"
    paper: ClassVar[str] = "no paper: what the five papers use, together, and learned from labelled pages"
    summary: ClassVar[str] = (
        "what a page shows and what its site repeats, joined by trees that were learnt from labelled pages"
    )
    merges: ClassVar[bool] = False
    ordered: ClassVar[bool] = True
    needs: ClassVar[str] = "nothing"
    options_class: ClassVar[type[Options]] = AutoOptions

    def __init__(self, options: AutoOptions | None = None) -> None:
        self._options = options or AutoOptions()
        lives = lifetimes(self._options.lifetime, self._options.growth)
        self._table: Table = recurrence_table(lives, self._options.max_keys)
        self._pages = 0

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> AutoOptions:  # noqa: ARG003
        """Complete the options; they are the same for one pass and two. The model must be there."""
        options = AutoOptions(**given)
        model_of(options.model)
        return options

    @property
    def pages(self) -> int:
        """Pages learnt so far, copies included."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Memory that the table holds, in bytes."""
        return self._table.nbytes

    def learn(self, page: Page) -> None:
        """Count what the page has, unless it is a copy of pages before it."""
        self._pages += 1
        if self._options.evidence == ALL and len(page.segments):
            Look.at(page, model_of(self._options.model)).keys.learn(self._table)

    def score(self, page: Page) -> Verdict:
        """Judge a page by itself and by the site's other pages."""
        if not len(page.segments):
            return Verdict(np.zeros(0, np.float32))
        model = model_of(self._options.model)
        look = Look.at(page, model)
        counts, others = self._table.counts(look.keys.keys), self._table.pages
        if any(look.keys.known(counts)):
            counts, others = look.keys.without(counts), others - 1
        return self._judge(page, model, look, counts, others)

    def learn_and_score(self, page: Page) -> Verdict:
        """Judge a page by itself and by the pages before it, then learn it."""
        self._pages += 1
        if self._options.evidence == PAGE or not len(page.segments):
            return self.score(page)
        model = model_of(self._options.model)
        look, others = Look.at(page, model), self._table.pages
        counts, known = look.keys.learn(self._table)
        if known.copy:
            counts, others = look.keys.without(counts), others - 1
        return self._judge(page, model, look, counts, others)

    def _judge(self, page: Page, model: AutoModel, look: Look, counts: Counts, others: int) -> Verdict:
        """Take the second look, smooth, and cut."""
        shares = look.keys.shares(counts, others)
        scored, around = sigmoid(second_odds(model, look, shares)), look.around

        def smooth(penalty: float) -> Reals:
            return smoothed(around.group[:, 0], around.above, scored, around.weight, penalty)

        known = shares[:, SEGMENT_SHARE] > 0
        content = settled(smooth, self._options.smooth, scored, look.content, known)
        cut = expected_cut(content, look.features.words, around.group[:, TOGETHER])
        kept = content > cut
        filled = ~kept & (records if self._options.keep == RECORDS else fields)(_places(look, shares), others)
        title = None
        if self._options.title == KEEP:
            words, common = look.features.words, shares[:, SEGMENT_SHARE]
            title = headline(title_segments(page), kept | filled, words, common, others)
        raised = filled.copy()
        if title is not None and not kept[title]:
            raised[title] = True
        content = np.where(raised, 1.0, content).clip(_SURE, 1 - _SURE)
        shifted = sigmoid(np.log((1 - content) / content) + math.log(cut / (1 - cut)))
        reasons = _Reasons(model, look, shares, content, cut, filled, raised)
        return Verdict(shifted.astype(np.float32), explain=reasons)

    def merge(self, other: Self) -> Self:
        """Refuse: what is a copy, and what is new, depends on all pages before it."""
        raise NotImplementedError(
            "method auto cannot merge: what is new on a page depends on those before it"
        )

    def to_bytes(self) -> bytes:
        """Give the table (16 bytes a key) and the options."""
        columns: dict[str, npt.NDArray[Any]] = dict(zip(_COLUMNS, self._table.dump(), strict=True))
        header = {
            "options": dataclasses.asdict(self._options), "pages": self.pages, "learnt": self._table.pages
        }  # fmt: skip
        return pack(self.name, _VERSION, header, columns)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave."""
        header, arrays = unpack(data, cls.name, _VERSION, _COLUMNS)
        try:
            restored = cls(cls.options(header["options"], streaming=False))
            pages, learnt = int(header["pages"]), int(header["learnt"])
            if not 0 <= learnt <= pages < 2**31 or len(np.unique(arrays["keys"])) != len(arrays["keys"]):
                raise StateError("the state's table is inconsistent")
            restored._table.load(learnt, *(arrays[column] for column in _COLUMNS))
            restored._pages = pages
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


def _places(look: Look, shares: Reals) -> Places:
    told = look.features.table
    return Places(
        shares[:, _SLOT], shares[:, _NEWS], shares[:, SEGMENT_SHARE], told[:, _SAME], told[:, _LINKED] > 0,
        look.features.words, look.content,
    )  # fmt: skip


def second_odds(model: AutoModel, look: Look, shares: Reals) -> Reals:
    """Give the log-odds of content by the second look, with what the site's other pages show."""
    table = context(look.features, look.around, look.content, shares)
    sited = model.site.sums(table)
    others = int(shares[0, 0])
    if not others:
        return sited
    # Joined odds are never above the sited ones: what is surely template needs no other look.
    alone, open_ = sited.copy(), np.flatnonzero(sited > SURELY)
    alone[open_] = model.site.sums(without_site(table[open_]))
    return joined(alone, sited, others)


@dataclasses.dataclass(frozen=True, slots=True)
class _Reasons:
    """Explains the scores of a page's segments."""

    model: AutoModel
    look: Look
    shares: Reals
    content: Reals
    cut: float
    filled: npt.NDArray[np.bool_]
    raised: npt.NDArray[np.bool_]

    def __call__(self, segment: int) -> str:
        look, own = self.look, self.shares[segment]
        alone = look.content[segment]
        parts = np.bincount(_GROUP, self.model.page.contributions(look.features.table[segment]))
        order = np.argsort(parts if alone <= self.cut else -parts, kind="stable")[:_TOLD]
        telling = " and ".join(_GROUPS[number] for number in order)
        told = f"by itself {alone:.2f} content, most for {telling}"
        others = int(own[0])
        if others:
            told += f"; on {int(own[1])} of {others} other pages of this site"
        if self.raised[segment]:
            told += _FIELD if self.filled[segment] else _TITLED
        return f"{self.content[segment]:.2f} content where {self.cut:.2f} is needed: {told}"
