"""What is learned of one site: what its detector learns, and how many pages share parts of their titles."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.algorithms.countmeanmin import CountMeanMin
from detemplate.detectors.base import Asked, Learner
from detemplate.detectors.registry import detector_class
from detemplate.detectors.state import DAMAGE, StateError, name_in, pack, unpack
from detemplate.page.metadata.titleparts import SharedParts, part_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Detector
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

_NAME: Final = "titles"
_VERSION: Final = 1
_ARRAYS: Final = {"cells": "<i4", "counts": "<i8"}
# The end of a state with counts of titles; before it stand their length, 8 bytes, and the counts.
_END: Final = b"detemplate-titles\n"


class SiteLearner(Learner):
    """A detector that has learned a site's pages, with counts of the parts of their titles.

    Its state is that of the detector, and the counts behind it. Of a state without counts, only later pages
    are counted.
    """

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._titles = CountMeanMin()
        self._titled = 0

    @property
    def pages(self) -> int:
        """Number of pages learned."""
        return self._detector.pages

    @property
    def nbytes(self) -> int:
        """Approximate memory of the learned state, in bytes."""
        return self._detector.nbytes + self._titles.nbytes

    def learn(self, page: Page) -> None:
        """Learn a page of the site."""
        self._detector.learn(page)
        self._count(part_keys(page))

    def score(self, page: Page) -> Verdict:
        """Score the segments of a page; nothing is learned."""
        return self._with_parts(self._detector.score(page), self._shared(part_keys(page)))

    def learn_and_score(self, page: Page) -> Verdict:
        """Learn and score a page in one step, in the order of the method's paper."""
        keys = part_keys(page)
        self._count(keys)
        return self._with_parts(self._detector.learn_and_score(page), self._shared(keys))

    def ask(self, page: Page) -> Asked:
        """Do the work on a page that depends on the options alone."""
        query, kept = self._detector.ask(page)
        return Asked((query, part_keys(page)), kept)

    def ask_only(self, page: Page) -> Asked:
        """Do the same for a page that is answered, but not learned."""
        query, kept = self._detector.ask_only(page)
        return Asked((query, part_keys(page)), kept)

    def take(self, query: Any) -> None:  # noqa: ANN401
        """Learn the page that asks."""
        inner, keys = query
        self._detector.take(inner)
        self._count(keys)

    def answer(self, query: Any) -> Any:  # noqa: ANN401
        """Tell what the site has learned about what a page asks; nothing is learned."""
        inner, keys = query
        return self._detector.answer(inner), self._shared(keys)

    def take_and_answer(self, query: Any) -> Any:  # noqa: ANN401
        """Learn the page that asks and answer it."""
        inner, keys = query
        self._count(keys)
        return self._detector.take_and_answer(inner), self._shared(keys)

    def judge(self, page: Page, asked: Asked, answer: Any) -> Verdict:  # noqa: ANN401
        """Score a page by the answer; depends on the options and not on what was learned."""
        inner, shared = answer
        own = Asked(asked.query[0], asked.kept)
        return self._with_parts(self._detector.judge(page, own, inner), shared)

    def _count(self, keys: tuple[int, ...]) -> None:
        self._titles.add(keys)
        self._titled += 1

    def _shared(self, keys: tuple[int, ...]) -> SharedParts:
        return SharedParts(self._titled, self._titles.counts(keys))

    def _with_parts(self, verdict: Verdict, shared: SharedParts) -> Verdict:
        return dataclasses.replace(verdict, shared=shared)

    def merge(self, other: Self) -> Self:
        """Return one that has learned this one's pages and then the other's; as of a detector."""
        merged = type(self)(self._detector.merge(other._detector))
        merged._titles = self._titles.merge(other._titles)
        merged._titled = self._titled + other._titled
        return merged

    def to_bytes(self) -> bytes:
        """Return the learned state and the options as bytes."""
        titles = pack(_NAME, _VERSION, {"pages": self._titled}, self._titles.dump(), narrow=True)
        return b"".join([self._detector.to_bytes(), titles, len(titles).to_bytes(8, "little"), _END])

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` returned; the detector's class is that of the method in its state."""
        state, titles = data, b""
        if data.endswith(_END):
            stop = len(data) - len(_END) - 8
            start = stop - int.from_bytes(data[stop : stop + 8], "little")
            if not 0 <= start < stop:
                raise StateError("the state has a wrong length")
            state, titles = data[:start], data[start:stop]
        try:
            found = cls(detector_class(name_in(state)).from_bytes(state))
            if titles:
                header, arrays = unpack(titles, _NAME, _VERSION, _ARRAYS)
                found._titled = int(header["pages"])
                found._titles.load(**arrays)
        except StateError:
            raise
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return found


def learner_of(make: Callable[[], Detector]) -> SiteLearner:
    """Make a learner of a new site."""
    return SiteLearner(make())
