# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.tokenmatch`: the automaton.

A trie over symbols with failure links (Aho and Corasick), both in arrays. Open-addressing tables hold the
trie's edges, the states met and the moves met. Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._hashing import GOLDEN

HEADS_PER_MOVE = cython.declare(cython.longlong, 4)  # heads remembered on average, for each move that may be


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def spread(key: cython.ulonglong) -> cython.ulonglong:
    """Mix the bits of a key."""
    key = (key ^ (key >> 32)) * GOLDEN
    return key ^ (key >> 29)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def pair(first: cython.int, second: cython.int) -> cython.ulonglong:
    """Make one key of two numbers; it is never 0, which marks an empty slot."""
    return (
        (cython.cast(cython.ulonglong, first) << 32)
        | cython.cast(cython.ulonglong, cython.cast(cython.uint, second))
    ) + 1


@cython.final
@cython.cclass
class Numbers:
    """Numbers by key: a hash table with open addressing, at most half full."""

    keys: cython.ulonglong[::1]
    values: cython.int[::1]
    count: cython.longlong

    def __init__(self, size):
        self.keys = np.zeros(size, np.uint64)
        self.values = np.zeros(size, np.int32)
        self.count = 0

    @property
    def nbytes(self):
        return self.keys.nbytes + self.values.nbytes

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def slot(self, key: cython.ulonglong) -> cython.ulonglong:
        """Find the slot of a key, or the free one that it would take."""
        mask: cython.ulonglong = self.keys.shape[0] - 1
        slot: cython.ulonglong = spread(key) & mask
        while self.keys[slot] and self.keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def get(self, key: cython.ulonglong) -> cython.int:
        """Return the number of a key; -1 if there is none."""
        slot: cython.ulonglong = self.slot(key)
        return self.values[slot] if self.keys[slot] else -1

    @cython.cfunc
    def put(self, key: cython.ulonglong, value: cython.int):
        """Add a key that is not there."""
        at: cython.longlong
        slot: cython.ulonglong
        keys: cython.ulonglong[::1] = self.keys
        values: cython.int[::1] = self.values
        if 2 * self.count >= keys.shape[0]:
            self.keys = np.zeros(2 * keys.shape[0], np.uint64)
            self.values = np.zeros(2 * keys.shape[0], np.int32)
            for at in range(keys.shape[0]):
                if keys[at]:
                    slot = self.slot(keys[at])
                    self.keys[slot] = keys[at]
                    self.values[slot] = values[at]
        slot = self.slot(key)
        self.keys[slot] = key
        self.values[slot] = value
        self.count += 1


@cython.final
@cython.cclass
class Automaton:
    """The automaton; :class:`detemplate.algorithms.tokenmatch.Automaton` describes its methods."""

    # the trie
    nodes: cython.int
    fail: cython.int[::1]
    found: cython.int[::1]  # the longest sequence that ends at each node; -1: none
    lengths: cython.int[::1]  # lengths of the sequences
    edges: Numbers
    # the states met: the heads of each are a run of the pool
    states: cython.int
    pool: cython.int[::1]
    pool_used: cython.longlong
    state_start: cython.longlong[::1]
    state_found: cython.int[::1]
    state_slots: cython.int[::1]
    moves: Numbers  # the moves met
    most: cython.longlong  # moves to remember at most
    # work space of a step
    fresh: cython.int[::1]
    seen: cython.longlong[::1]
    covered: cython.longlong[::1]
    stamp: cython.longlong
    work: cython.longlong  # steps taken for the text
    # the symbols of each letter
    letter_symbols: cython.int[::1]
    letter_ends: cython.longlong[::1]

    def __init__(self, symbols, ends, most_moves):
        sequence: cython.int
        node: cython.int
        child: cython.int
        at: cython.longlong
        start: cython.longlong = 0
        flat: cython.int[::1] = np.ascontiguousarray(symbols, np.int32)
        stops: cython.longlong[::1] = np.ascontiguousarray(ends, np.int64)
        room = len(symbols) + 1
        if room >= 2**31:
            raise ValueError("too many symbols")
        self.edges = Numbers(1 << max(4, (2 * room).bit_length()))
        parents: cython.int[::1] = np.zeros(room, np.int32)
        labels: cython.int[::1] = np.zeros(room, np.int32)
        depths_array = np.zeros(room, np.int32)
        depths: cython.int[::1] = depths_array
        found_array = np.full(room, -1, np.int32)
        found: cython.int[::1] = found_array
        self.lengths = np.diff(np.asarray(ends, np.int64), prepend=0).astype(np.int32)
        self.nodes = 1
        for sequence in range(stops.shape[0]):
            node = 0
            for at in range(start, stops[sequence]):
                child = self.child(node, flat[at])
                if child == 0:
                    child = self.nodes
                    self.nodes += 1
                    self.edges.put(pair(node, flat[at]), child)
                    parents[child] = node
                    labels[child] = flat[at]
                    depths[child] = depths[node] + 1
                node = child
            if node and found[node] < 0:
                found[node] = sequence
            start = stops[sequence]
        nodes = self.nodes
        fail_array = np.zeros(nodes, np.int32)
        fail: cython.int[::1] = fail_array
        order: cython.longlong[::1] = np.argsort(depths_array[:nodes], kind="stable")
        for at in range(1, nodes):
            node = cython.cast(cython.int, order[at])
            if parents[node]:
                child = fail[parents[node]]
                while child and self.child(child, labels[node]) == 0:
                    child = fail[child]
                fail[node] = self.child(child, labels[node])
            if found[node] < 0:
                found[node] = found[fail[node]]
        self.fail = fail_array
        self.found = found_array[:nodes].copy()
        self.fresh = np.zeros(16, np.int32)
        self.seen = np.zeros(nodes, np.int64)
        self.covered = np.zeros(nodes, np.int64)
        self.stamp = 0
        self.most = most_moves
        self.forget()

    @property
    def nbytes(self):
        return (
            self.edges.nbytes + 24 * self.nodes + self.pool.nbytes + self.state_start.nbytes
            + self.state_found.nbytes + self.state_slots.nbytes + self.moves.nbytes
        )  # fmt: skip

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def child(self, node: cython.int, symbol: cython.int) -> cython.int:
        """Find a node's child by a symbol; 0 if there is none."""
        return max(self.edges.get(pair(node, symbol)), 0)

    @cython.cfunc
    def forget(self):
        """Forget all states and moves but the first state, which has no head."""
        self.states = 1
        self.pool_used = 0
        self.pool = np.zeros(256, np.int32)
        self.state_start = np.zeros(64, np.int64)
        self.state_found = np.full(64, -1, np.int32)
        self.state_slots = np.full(256, -1, np.int32)
        self.moves = Numbers(256)

    @cython.cfunc
    @cython.exceptval(check=False)
    def follow(self, node: cython.int, symbol: cython.int) -> cython.int:
        """Find the deepest node whose path ends the node's path and the symbol."""
        child: cython.int
        while True:
            self.work += 1
            child = self.child(node, symbol)
            if child or node == 0:
                return child
            node = self.fail[node]

    @cython.cfunc
    def step(self, state: cython.int, letter: cython.int) -> cython.int:
        """Compute the state after a letter and remember the move; without room for it, forget all first."""
        at: cython.longlong
        start: cython.longlong = 0 if state == 0 else self.state_start[state - 1]
        stop: cython.longlong = self.state_start[state]
        low: cython.longlong = 0 if letter == 0 else self.letter_ends[letter - 1]
        high: cython.longlong = self.letter_ends[letter]
        which: cython.longlong
        count: cython.int = 0
        kept: cython.int = 0
        head: cython.int
        node: cython.int
        symbol: cython.int
        need: cython.longlong = max(stop - start, 1) * (high - low)
        if need > self.fresh.shape[0]:
            self.fresh = np.zeros(min(2 * need, self.nodes + 1) + 16, np.int32)
        self.stamp += 1
        for which in range(low, high):
            symbol = self.letter_symbols[which]
            at = start
            while True:
                node = self.follow(self.pool[at] if at < stop else 0, symbol)
                if node and self.seen[node] != self.stamp:
                    self.seen[node] = self.stamp
                    self.fresh[count] = node
                    count += 1
                at += 1
                if at >= stop:
                    break
        if count > 1:
            # Only heads stay: nodes that no failure link of another leads to.
            for at in range(count):
                node = self.fail[self.fresh[at]]
                while node and self.covered[node] != self.stamp:
                    self.work += 1
                    self.covered[node] = self.stamp
                    node = self.fail[node]
            for at in range(count):
                if self.covered[self.fresh[at]] != self.stamp:
                    self.fresh[kept] = self.fresh[at]
                    kept += 1
            np.asarray(self.fresh)[:kept].sort()
        else:
            kept = count
        self.work += count
        if self.moves.count >= self.most or self.pool_used + kept > self.most * HEADS_PER_MOVE:
            self.forget()  # the number of the state before is gone, so the move is not remembered
            return self.intern(kept)
        head = self.intern(kept)
        self.moves.put(pair(state, letter), head)
        return head

    @cython.cfunc
    def intern(self, count: cython.int) -> cython.int:
        """Find or make the state whose heads are the first ``count`` of ``fresh``."""
        at: cython.longlong
        start: cython.longlong
        best: cython.int = -1
        which: cython.int
        state: cython.int
        key: cython.ulonglong = 0
        mask: cython.ulonglong
        slot: cython.ulonglong
        if count == 0:
            return 0
        for at in range(count):
            key = spread(key ^ cython.cast(cython.ulonglong, self.fresh[at]))
        mask = self.state_slots.shape[0] - 1
        slot = key & mask
        while self.state_slots[slot] >= 0:
            state = self.state_slots[slot]
            start = self.state_start[state - 1]
            if self.state_start[state] - start == count:
                at = 0
                while at < count and self.pool[start + at] == self.fresh[at]:
                    at += 1
                if at == count:
                    return state
            slot = (slot + 1) & mask
        state = self.states
        if state >= self.state_start.shape[0]:
            self.state_start = longer(self.state_start)
            self.state_found = longer(self.state_found)
        while self.pool_used + count > self.pool.shape[0]:
            self.pool = longer(self.pool)
        for at in range(count):
            self.pool[self.pool_used + at] = self.fresh[at]
            which = self.found[self.fresh[at]]
            if which >= 0 and (best < 0 or self.lengths[which] > self.lengths[best]):
                best = which
        self.pool_used += count
        self.state_start[state] = self.pool_used
        self.state_found[state] = best
        self.state_slots[slot] = state
        self.states += 1
        if 2 * self.states > self.state_slots.shape[0]:
            self.rehash_states()
        return state

    @cython.cfunc
    def rehash_states(self):
        state: cython.int
        at: cython.longlong
        key: cython.ulonglong
        slot: cython.ulonglong
        slots: cython.int[::1] = np.full(2 * self.state_slots.shape[0], -1, np.int32)
        mask: cython.ulonglong = slots.shape[0] - 1
        for state in range(1, self.states):
            key = 0
            for at in range(self.state_start[state - 1], self.state_start[state]):
                key = spread(key ^ cython.cast(cython.ulonglong, self.pool[at]))
            slot = key & mask
            while slots[slot] >= 0:
                slot = (slot + 1) & mask
            slots[slot] = state
        self.state_slots = slots

    def run(self, letters, letter_symbols, letter_ends, limit):
        """Find the longest sequence that ends at each letter, -1 for none; None beyond the limit."""
        at: cython.longlong
        letter: cython.int
        state: cython.int = 0
        after: cython.int
        most: cython.longlong = limit
        letters_known: cython.longlong = len(letter_ends)
        text: cython.int[::1] = np.ascontiguousarray(letters, np.int32)
        result = np.full(len(text), -1, np.int32)
        out: cython.int[::1] = result
        self.letter_symbols = np.ascontiguousarray(letter_symbols, np.int32)
        self.letter_ends = np.ascontiguousarray(letter_ends, np.int64)
        self.work = 0
        for at in range(text.shape[0]):
            letter = text[at]
            if letter == 0:
                state = 0
                continue
            if letter < 0 or letter >= letters_known:
                raise ValueError("a letter without symbols")
            after = self.moves.get(pair(state, letter))
            if after < 0:
                after = self.step(state, letter)
                if self.work > most:
                    return None
            state = after
            out[at] = self.state_found[state]
        return result


@cython.cfunc
def longer(array):
    """Copy an array into one of twice the length."""
    old = np.asarray(array)
    new = np.zeros(2 * len(old), old.dtype)
    new[: len(old)] = old
    return new
