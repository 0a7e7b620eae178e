"""Bounded memory changes nothing but memory."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detemplate.detectors.registry import DETECTORS, detector_class, factory
from detemplate.run.engine import Engine
from detemplate.sites.store import SiteStore
from tests.support.helpers import made_page

if TYPE_CHECKING:
    from detemplate.detectors.base import Detector
    from detemplate.output.result import Result

every_method = pytest.mark.parametrize("method", DETECTORS)


def lines(results: list[Result]) -> list[str]:
    return [" ".join(result.text.split()) for result in results]


def interleaved(seed: int, sites: int, count: int) -> list[tuple[str, str]]:
    rng = random.Random(seed)
    made = []
    for number in range(count):
        site = f"s{rng.randrange(sites)}.org"
        html = f"<nav>Home of {site}</nav>\n<p>News {rng.randrange(9)}</p>\n<p>Page {number}</p>"
        made.append((f"http://{site}/d{rng.randrange(2)}/{number}", html))
    return made


@every_method
@given(st.integers(0, 1000), st.integers(1, 12), st.sampled_from([0, 1, 6000, 20_000]), st.booleans())
@settings(max_examples=3)
def test_little_memory_gives_the_same_results(
    method: str, seed: int, sites: int, memory: int, streaming: bool
) -> None:
    made = interleaved(seed, sites, 60)
    streaming = streaming and DETECTORS[method].streams
    small, large = Engine(method, memory=memory, streaming=streaming), Engine(method, streaming=streaming)
    if streaming:
        assert lines([small.learn_and_clean(page) for page in made]) == lines(
            [large.learn_and_clean(page) for page in made]
        )
    else:
        for page in made:
            small.learn(page)
            large.learn(page)
        assert lines([small.clean(page) for page in made]) == lines([large.clean(page) for page in made])
    assert small.sites == large.sites == len({page[0].split("/")[2] for page in made})
    for site in {page[0].split("/")[2] for page in made}:
        assert small.detector(site).to_bytes() == large.detector(site).to_bytes()


class Counted:
    """Counts what a store takes back from its file."""

    def __init__(self, budget: int) -> None:
        self.restored = 0
        self.store = SiteStore(factory("segments", streaming=True), self.kind(), budget=budget)

    def kind(self) -> type[Detector]:
        counted, method = self, detector_class("segments")

        class Kind(method):  # type: ignore[misc,valid-type]
            @classmethod
            def from_bytes(cls, data: bytes) -> Detector:
                counted.restored += 1
                return method.from_bytes(data)

        return Kind

    def learn(self, site: str) -> None:
        self.store[site].learn(made_page(1))
        self.store.used(site)


def test_sites_that_are_only_looked_at_are_bounded_too() -> None:
    """The second of two passes learns nothing; what it takes back from the disk must go again."""
    counted = Counted(20_000)
    for number in range(50):
        counted.learn(f"s{number}")
    for number in range(50):
        assert counted.store[f"s{number}"].pages == 1
    assert counted.restored > 40
    assert len(counted.store._live) < 10
