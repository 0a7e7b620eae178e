"""Peers: failures are counted; those that are installed find the content."""

import time
from importlib import metadata
from pathlib import Path

import pytest

from detemplate.errors import UserError
from lab.peers.known import PEERS, find_peers
from lab.peers.runner import Peer, missing

SENTENCE = "The river rose in the night, and by the morning the old bridge was under water again. "


def article(number):
    paragraphs = "".join(
        f"<p>{SENTENCE * 4} It was the flood of {1800 + 7 * number + n}, which nobody has forgotten.</p>"
        for n in range(6)
    )
    return (
        f"https://example.org/{number}",
        "<!doctype html><html lang='en'><head><title>Floods</title></head><body>"
        "<div><ul><li><a href='/'>Home</a></li><li><a href='/about'>Imprint</a></li></ul></div>"
        f"<div><article><h1>The flood number {number}</h1>{paragraphs}</article></div></body></html>",
    )


def installed(peer):
    try:
        metadata.version(peer.package)
    except metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_finds_an_article(peer):
    if not installed(peer):
        pytest.skip(f"{peer.package} is not installed")
    run = peer.run([article(number) for number in range(4)], scored=[1, 3])
    assert (run.crashed, run.timed_out, len(run.texts)) == (0, 0, 2)
    assert "flood of 1812" in run.texts[0]
    assert "flood of 1826" in run.texts[1]
    assert peer.label.startswith(f"{peer.name} ")


def test_crashes_and_delays_are_counted():
    def load():
        def extract(url, _html):
            if url == "crash":
                raise RuntimeError
            if url == "slow":
                try:
                    time.sleep(5)
                except Exception:  # noqa: BLE001 - as extractors do
                    return "swallowed"
            return url

        return extract

    peer = Peer("made", "numpy", load)
    run = peer.run([("crash", ""), ("fine", ""), ("slow", ""), ("last", "")], seconds=0.1)
    assert run.texts == ["", "fine", "", "last"]
    assert (run.crashed, run.timed_out) == (1, 1)


def test_the_package_that_is_not_in_the_extra_is_named():
    [peer] = find_peers("readability-lxml")
    assert str(missing(peer)).endswith("pip install -c constraints.txt readability-lxml")
    constraints = (Path(__file__).parents[3] / "constraints.txt").read_text()
    assert "\nreadability-lxml==" in constraints


def test_find_peers():
    assert find_peers("none") == []
    assert find_peers("all") == list(PEERS)
    assert [peer.name for peer in find_peers("deboiler, resiliparse")] == ["resiliparse", "deboiler"]
    with pytest.raises(UserError, match="unknown peer 'boiler'"):
        find_peers("boiler")
