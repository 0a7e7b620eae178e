"""The counts of the benchmark of crawls."""

from benchmarks.crawling import Peers, Topic, found_at, peers_of


def test_what_was_found_after_each_share_of_the_pages():
    topic = Topic("rope", frozenset({"b", "d", "never"}))
    found = found_at(["a", "b", "c", "d"], topic, 4)
    assert len(found) == 101
    assert (found[0], found[49], found[50], found[99], found[100]) == (0, 0, 1 / 3, 1 / 3, 2 / 3)


def test_peers():
    urls = ["http://a/1", "http://a/2", "http://a/x/1", "http://a/3", "http://a/y/1", "http://a/y/2"]
    assert peers_of(urls) == Peers(pages=6, any=5, earlier=3, last=2)
