"""The first pages of a source, and samples of them."""

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import SelectedSource


class Source(list):
    """Records in memory."""

    rereadable = True
    total_bytes = 100
    bytes_read = 7


def pages(count):
    return Source(Record(f"http://e.org/{n}", "<p>") for n in range(count))


def urls(source):
    return [item.url for item in source]


def test_a_sample_is_a_share_and_always_the_same():
    items = pages(2000)
    tenth, half = (urls(SelectedSource(items, sample=share)) for share in (0.1, 0.5))
    assert 150 < len(tenth) < 250
    assert 900 < len(half) < 1100
    assert set(tenth) < set(half)
    # Parts agree, in any order.
    part = urls(SelectedSource(Source(reversed(items[:700])), sample=0.1))
    assert part == [url for url in reversed(tenth) if int(url.rpartition("/")[2]) < 700]
    # The hash and its seed never change.
    assert tenth[:3] == ["http://e.org/0", "http://e.org/4", "http://e.org/13"]
    assert len(urls(SelectedSource(items, sample=0.1, limit=5))) == 5


def test_skips_are_sampled_by_their_place():
    bad = [Skip("", "bad record", source=SourceRef("x", n), rejected=True) for n in range(1000)]
    cut = Skip("", "truncated", source=SourceRef("x"), rejected=True)
    source = SelectedSource(Source([*bad, cut]), sample=0.1)
    kept = list(source)
    assert 60 < len(kept) < 140
    assert kept[-1] is cut
    assert list(source) == kept
