"""The token automaton against a search by brute force."""

import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.tokenmatch import automaton, edges, longest_ending, split


def table(letters):
    ends = np.cumsum([len(letter) for letter in letters], dtype=np.int64)
    return np.array([symbol for letter in letters for symbol in letter], np.int32), ends


def by_hand(sequences, letters, text):
    """Length of the longest sequence that ends at each letter."""
    longest = [0] * len(text)
    for sequence in sequences:
        for start in range(len(text) - len(sequence) + 1):
            here = text[start : start + len(sequence)]
            if sequence and all(
                symbol in letters[letter] for symbol, letter in zip(sequence, here, strict=True)
            ):
                end = start + len(sequence) - 1
                longest[end] = max(longest[end], len(sequence))
    return longest


def lengths(sequences, found):
    return [len(sequences[which]) if which >= 0 else 0 for which in found.tolist()]


sequences = st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=12)
alphabets = st.lists(st.sets(st.integers(0, 3)).map(sorted), max_size=6).map(lambda sets: [[], *sets])


@given(sequences, alphabets, st.data())
def test_it_finds_what_brute_force_finds(sequences, letters, data):
    machine = automaton(sequences)
    for _ in range(2):  # the second text meets what the first one left
        text = data.draw(st.lists(st.integers(0, len(letters) - 1), max_size=60))
        found = longest_ending(machine, np.array(text, np.int32), *table(letters))
        assert lengths(sequences, found) == by_hand(sequences, letters, text)


@pytest.mark.parametrize("most", [0, 50])
def test_forgetting_changes_nothing(most):
    """More moves than are remembered: random texts over sequences that share symbols."""
    draw = np.random.default_rng(1)
    sequences = [draw.integers(0, 3, 14).tolist() for _ in range(100)] + [[0], [1, 2], [2, 2, 1]]
    letters = [[], [0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]]
    text = draw.choice(8, 500, p=[0.02, *[0.14] * 7]).astype(np.int32)
    machine = automaton(sequences, most)
    size = machine.nbytes
    found = machine.run(text, *table(letters), 10**9)
    assert lengths(sequences, found) == by_hand(sequences, letters, text.tolist())
    assert machine.nbytes < size + 100_000


@pytest.mark.parametrize("letters", [[[], [0]], [[], [0, 1]]], ids=["one symbol", "two symbols"])
def test_five_thousand_equal_tokens_on_millions(letters):
    sequences = [[0] * 5000, [0] * 4000 + [1], [1] * 3000]
    text = np.ones(3_000_000, np.int32)
    start = time.process_time()
    found = longest_ending(automaton(sequences), text, *table(letters))
    assert time.process_time() - start < 20
    assert found[-1] == 0
    assert found[[4998, 4000, 2999, 2998]].tolist() == ([-1] * 4 if len(letters[1]) == 1 else [1, 1, 2, -1])


@given(st.binary(max_size=120) | st.text("ab \n", max_size=60).map(str.encode))
def test_tokens_are_split_at_white_space(data):
    tokens, (starts, stops) = split(data), edges(data)
    assert tokens == [data[low:high] for low, high in zip(starts.tolist(), stops.tolist(), strict=True)]
    assert tokens == data.replace(b"\v", b"?").split() or b"\v" in data
    assert all(token and not set(token) & set(b" \t\n\r\f") for token in tokens)
    assert b"".join(tokens) == bytes(byte for byte in data if byte not in b" \t\n\r\f")
