"""The contract of sources: whatever happens to a file of any kind, pages before the damage come out."""

import random

import pytest

from benchmarks.fuzz_sources import read
from benchmarks.support.fuzzinputs import KINDS, sound_inputs
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import records, skips

UNCHECKED = {"html", "text", "mhtml", "sqlite"}
"""Kinds of one page, of which a cut leaves a shorter one, and one that reads zeros where its file ends."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_cut(tmp_path, kind):
    """What stands before the cut is read, in two passes alike; the cut is told once, or the file is refused."""
    name, said = KINDS[kind]
    path, some = tmp_path / name, 0
    for data, pack in sound_inputs(kind, random.Random(1)):
        packed = pack(data)
        path.write_bytes(packed)
        whole = [(page.url, page.html) for page in records(read(path, said) or [])]
        for cut in {*range(1, len(packed), len(packed) // 20 + 1), len(packed) - 1}:
            path.write_bytes(packed[:cut])
            items = read(path, said)
            if items is None:
                continue
            pages = [(page.url, page.html) for page in records(items)]
            lost = [skip for skip in skips(items) if skip.rejected]
            assert len(lost) <= 2 or kind == "sqlite"  # the page that is cut, and the end of the file
            assert {skip.reason for skip in lost} <= {"truncated", "unreadable", "bad record", "undecodable"}
            if kind in UNCHECKED:
                continue
            assert pages[:-1] == whole[: len(pages)][:-1], cut
            assert [url for url, _ in pages] == [url for url, _ in whole[: len(pages)]], cut
            some += 0 < len(pages) < len(whole)
    assert some > 5 or kind not in {"csv", "jsonl", "tar", "warc"}


@pytest.mark.parametrize("kind", KINDS)
def test_two_passes_and_progress(tmp_path, kind):
    name, said = KINDS[kind]
    for data, pack in sound_inputs(kind, random.Random(2)):
        (tmp_path / name).write_bytes(pack(data))
        source = open_sources([str(tmp_path / name)], kind=said, text=kind == "text")
        assert source.rereadable
        assert 0 < source.total_bytes <= (tmp_path / name).stat().st_size
        first, at = [], [0]
        for item in source:
            first.append(item)
            at.append(source.bytes_read)
        assert at == sorted(at)
        assert 0.9 * source.total_bytes <= source.bytes_read <= source.total_bytes
        assert list(source) == first
