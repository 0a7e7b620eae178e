"""What a site shares of its pages' titles: whatever the way of the run, and in any state."""

import pickle

import pytest

from detemplate import Cleaner, clean, methods
from detemplate.detectors.registry import factory
from detemplate.detectors.state import StateError
from detemplate.sites.learner import SiteLearner, learner_of
from detemplate.sites.storejobs import merge
from tests.support.helpers import made_page

ABOUT = ("otters", "beavers", "martens", "badgers", "stoats", "weasels", "minks", "polecats", "fishers")
PAGES = [
    (
        f"http://a.example/{name}",
        f"<title>The River Handbook - Animals - All about {name}</title><h1>The River Handbook</h1>"
        f"<p>What {name} eat, and where {name} live, is told on this page about {name}.",
    )
    for name in ABOUT
]
"""Pages of a manual, of which each shows the manual's name as its heading."""

OWN = [f"All about {name}" for name in ABOUT]


def titles(results):
    return [result.metadata.title for result in results]


def test_alone_a_page_has_the_title_that_it_shows():
    for page in PAGES:
        assert titles([*clean([page])]) == ["The River Handbook"]


@pytest.mark.parametrize("method", methods())
def test_two_passes(method):
    assert titles([*clean(PAGES, method=method)]) == OWN


@pytest.mark.parametrize("workers", [0, 2])
def test_one_pass_and_workers(workers):
    """In one pass, the first pages come before anything is known."""
    results = [*clean(iter(PAGES), workers=workers)]
    assert titles(results) == ["The River Handbook"] * 3 + OWN[3:]
    results = [*clean(PAGES, workers=workers)]
    assert titles(results) == OWN
    assert titles(pickle.loads(pickle.dumps(results))) == OWN


@pytest.mark.parametrize("memory", [0, 2**30])
def test_a_cleaner_and_its_store(memory, tmp_path):
    with Cleaner(memory=memory) as cleaner:
        for number, page in enumerate(PAGES):
            cleaner.learn(page)
            cleaner.learn((f"http://b.example/{number}", "<p>Another site's page."))  # the first goes to disk
        assert titles([cleaner.clean(page) for page in PAGES]) == OWN
        assert titles([cleaner.learn_and_clean(PAGES[0])]) == OWN[:1]
        cleaner.save(tmp_path / "a.db")
        assert titles([pickle.loads(pickle.dumps(cleaner)).clean(PAGES[1])]) == OWN[1:2]
    with Cleaner.load(tmp_path / "a.db") as loaded:
        assert titles([loaded.clean(page) for page in PAGES]) == OWN


def test_stores_are_merged(tmp_path):
    """Neither store has pages enough to tell the site's parts."""
    for number, name in enumerate(("a.db", "b.db")):
        with Cleaner() as cleaner:
            for page in PAGES[2 * number : 2 * number + 2]:
                cleaner.learn(page)
            assert titles([cleaner.clean(PAGES[0])]) == ["The River Handbook"]
            cleaner.save(tmp_path / name)
    merge([str(tmp_path / "a.db"), str(tmp_path / "b.db")], str(tmp_path / "c.db"))
    with Cleaner.load(tmp_path / "c.db") as loaded:
        assert titles([loaded.clean(page) for page in PAGES[:4]]) == OWN[:4]


def learner(method="segments", pages=0):
    made = learner_of(factory(method, streaming=False))
    for number in range(pages):
        made.learn(made_page(number))
    return made


def test_damaged_states_are_refused():
    whole = learner(pages=5).to_bytes()
    assert SiteLearner.from_bytes(whole).to_bytes() == whole
    for at in range(0, len(whole) - 1, 7):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]):
            try:
                SiteLearner.from_bytes(data)
            except StateError:
                continue
    for data in (b"", whole[:-9], whole[60:], whole[:-26] + b"\xff" * 8 + whole[-18:]):
        with pytest.raises(StateError):
            SiteLearner.from_bytes(data)
