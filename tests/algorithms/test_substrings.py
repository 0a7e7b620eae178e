import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from detemplate.algorithms import substrings
from detemplate.algorithms.substrings import maximal_strings
from detemplate.errors import MissingExtra

Documents = Sequence[Sequence[int]]

# The library starts threads for each sort: thousands of small ones are faster without.
os.environ.setdefault("OMP_NUM_THREADS", "1")
sort = pytest.importorskip("pydivsufsort", reason="the extra is not installed").divsufsort


def mined(documents, **limits):
    tokens = np.array([token for document in documents for token in document], np.int32)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    return maximal_strings(tokens, ends, **limits)


def rows(found):
    columns = (found.start, found.length, found.occurrences, found.documents)
    assert all(column.dtype == np.int32 for column in columns)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def expected(documents, *, min_documents=2, min_length=2):
    """Every substring in a dictionary; those that a string of one token more occurs as often as are out."""
    where = defaultdict(list)
    offset = 0
    for number, document in enumerate(documents):
        for first in range(len(document)):
            for stop in range(first + 1, len(document) + 1):
                where[tuple(document[first:stop])].append((offset + first, number))
        offset += len(document)
    inner = {
        part
        for string, places in where.items()
        for part in (string[1:], string[:-1])
        if part and len(where[part]) == len(places)
    }
    return sorted(
        (places[0][0], len(string), len(places), distinct)
        for string, places in where.items()
        if len(places) >= 2
        and string not in inner
        and len(string) >= min_length
        and (distinct := len({number for _, number in places})) >= min_documents
    )


def corpora(kinds):
    return st.lists(st.lists(st.integers(0, kinds - 1), max_size=12), max_size=8)


@st.composite
def repetitive(draw):
    """Documents put together from a few pieces: long strings that recur, one inside the other."""
    pieces = draw(st.lists(st.lists(st.integers(0, 6), max_size=5), min_size=1, max_size=4))
    chosen = st.lists(st.sampled_from(pieces), max_size=4)
    return [[token for piece in draw(chosen) for token in piece] for _ in range(draw(st.integers(0, 7)))]


any_corpus = st.one_of(corpora(1), corpora(2), corpora(3), corpora(20), repetitive())


@given(any_corpus, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=200)
def test_equals_all_substrings_in_a_dictionary(documents, min_documents, min_length):
    limits = {"min_documents": min_documents, "min_length": min_length}
    assert rows(mined(documents, **limits)) == expected(documents, **limits)


def collection(seed, *, count, length, kinds):
    """Documents of which half of the words come in whole sentences from a common stock."""
    rng = np.random.default_rng(seed)
    stock = [rng.integers(0, kinds, rng.integers(2, 40)).tolist() for _ in range(400)]
    return [
        [
            token
            for _ in range(int(rng.integers(0, length // 20)))
            for token in (*stock[rng.integers(400)], *rng.integers(0, kinds, 20).tolist())
        ]
        for _ in range(count)
    ]


@pytest.mark.parametrize(("kinds", "min_documents"), [(3, 2), (150, 5), (1000, 1), (60_000, 2)])
def test_lengths_of_codes_and_of_chunks_do_not_matter(kinds, min_documents, monkeypatch):
    """More tokens than one byte has values, more than two bytes have; several chunks of either."""
    documents = collection(kinds, count=300, length=400, kinds=kinds)
    ours = rows(mined(documents, min_documents=min_documents))
    assert len(ours) > 100
    monkeypatch.setattr(substrings, "_CHUNK", 10_000)
    monkeypatch.setattr(substrings, "_FIRST_BYTES", (100, 20, 6, 1, 1))
    assert rows(mined(documents, min_documents=min_documents)) == ours


@pytest.mark.parametrize("documents", [[], [[]], [[], []], [[1]], [[1], [2]], [[], [1], []]], ids=str)
def test_nothing_to_find(documents):
    for min_documents in (1, 2, 100):
        assert rows(mined(documents, min_documents=min_documents, min_length=1)) == []


@pytest.mark.parametrize("documents", [1, 1000])
def test_a_million_times_one_token(documents):
    """A method of quadratic time would take hours."""
    size = 10**6 // documents
    found = maximal_strings(
        np.zeros(size * documents, np.int32), np.arange(1, documents + 1) * size, min_documents=1
    )
    lengths = np.arange(2, size + (documents > 1))
    assert found.length.tolist() == lengths.tolist()
    assert not found.start.any()
    assert found.occurrences.tolist() == ((size + 1 - lengths) * documents).tolist()
    assert (found.documents == documents).all()


def test_too_many_tokens():
    with pytest.raises(ValueError, match=r"2,147,483,648 tokens .* too many"):
        maximal_strings(np.broadcast_to(np.int32(0), 2**31), np.array([2**31]))


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydivsufsort", None)
    with pytest.raises(MissingExtra, match=r"detemplate\[expressions\]"):
        mined([[1, 2], [1, 2]])


MEASURE = """
import sys
import numpy as np
import pydivsufsort
from detemplate.algorithms.substrings import maximal_strings
size = 1_500_000
rng = np.random.default_rng(1)
ends = np.linspace(size / 1000, size, 1000).astype(np.int64)
page = rng.zipf(1.3, size // 1000) % 20_000
tokens = np.where(rng.random(size) < 0.1, rng.zipf(1.2, size) % 200_000, np.tile(page, 1000)).astype(np.int32)
maximal_strings(tokens[:1000], np.array([500, 1000]))  # what is loaded and kept at the first use
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak so far is forgotten
def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))
before = status("VmRSS")
found = maximal_strings(tokens, ends, min_documents=1)
print(tokens.itemsize + (status("VmHWM") - before) / size, len(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_at_most_40_bytes_a_token():
    # What is freed goes back at once: else glibc keeps up to 64 MB, which is 20 bytes a token here.
    run = subprocess.run(
        [sys.executable, "-c", MEASURE],
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
        capture_output=True,
        text=True,
        check=True,
    )
    peak, found = run.stdout.split()
    assert float(peak) <= 40
    assert float(peak) > 12, "something was measured"
    assert int(found) > 1000
