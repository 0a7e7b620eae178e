# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.recurrence`: the recurrence table.

Entries live in parallel arrays. A slot table (open addressing, linear probing, no tombstones) finds them
by key. One doubly linked queue a document frequency, a *level*, holds them in order of last occurrence.
Written in Cython's pure-Python mode.
"""

import os

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, realloc

# Odd multiplier of keys. It is random: nobody can write pages whose keys share their slots. No state has it.
SECRET = cython.declare(cython.ulonglong, int.from_bytes(os.urandom(8), "little") | 1)


@cython.cfunc
def resized(memory: cython.p_void, count: cython.size_t, size: cython.size_t) -> cython.p_void:
    """Give an array room for ``count`` items of ``size`` bytes; NULL is an array without room."""
    moved: cython.p_void = realloc(memory, count * size)
    if moved == cython.NULL:
        raise MemoryError
    return moved


# What is known of a key, in one line of the processor's cache mostly: keys come in no order.
# df: document frequency; 0: the entry is free. last: page of its last occurrence. before: the entry before it in
# its queue; -1: none. after: the entry after it in its queue, or the next free one; -1: none.
Entry = cython.struct(
    key=cython.ulonglong, df=cython.int, last=cython.int, before=cython.int, after=cython.int
)


@cython.final
@cython.cclass
class RecurrenceTable:
    """The table; :class:`detemplate.algorithms.recurrence.Table` describes its methods."""

    entries: cython.pointer[Entry]  # by number
    count: cython.int  # entries in use
    used: cython.int  # entries that have ever been in use
    spare: cython.int  # the first free one among these; -1: none
    room: cython.int  # entries that there is memory for
    most: cython.int  # entries that may be in use after a page
    # the slot table: numbers of entries, -1 where there is none
    slots: cython.p_int
    mask: cython.uint  # slots less one
    shift: cython.int  # 64 less the bits of a slot's number
    # the queues, by level
    heads: cython.p_int
    tails: cython.p_int
    lives: cython.p_longlong
    levels: cython.int
    now: cython.int  # pages observed

    def __cinit__(self, lifetimes, most=2**31 - 1):
        level: cython.int
        numbers = np.ascontiguousarray(lifetimes, np.int64)
        if numbers.ndim != 1 or not 1 <= len(numbers) < 1_000_000:
            raise ValueError("lifetimes must be one row of numbers, one a document frequency")
        if not 1 <= most < 2**31:
            raise ValueError("most must be at least 1 and below 2**31")
        lives: cython.longlong[::1] = numbers
        self.levels = len(numbers)
        self.most = most
        self.spare = -1
        self.reserve(16, 64)
        self.heads = cython.cast(cython.p_int, resized(cython.NULL, self.levels, cython.sizeof(cython.int)))
        self.tails = cython.cast(cython.p_int, resized(cython.NULL, self.levels, cython.sizeof(cython.int)))
        self.lives = cython.cast(
            cython.p_longlong, resized(cython.NULL, self.levels, cython.sizeof(cython.longlong))
        )
        for level in range(64):
            self.slots[level] = -1
        for level in range(self.levels):
            self.heads[level] = -1
            self.tails[level] = -1
            self.lives[level] = lives[level]

    def __dealloc__(self):
        free(self.entries)
        free(self.slots)
        free(self.heads)
        free(self.tails)
        free(self.lives)

    def __len__(self):
        return self.count

    @property
    def pages(self):
        return self.now

    @property
    def nbytes(self):
        return self.room * 24 + (self.mask + 1) * 4 + self.levels * 16

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def home(self, key: cython.ulonglong) -> cython.uint:
        # The upper bits of a product depend on all bits of the key; the second product mixes them.
        key *= SECRET
        key = (key ^ (key >> 32)) * SECRET
        return cython.cast(cython.uint, key >> self.shift)

    @cython.cfunc
    @cython.exceptval(check=False)
    def find(self, key: cython.ulonglong) -> cython.int:
        slot: cython.uint = self.home(key)
        while self.slots[slot] >= 0:
            if self.entries[self.slots[slot]].key == key:
                return self.slots[slot]
            slot = (slot + 1) & self.mask
        return -1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def level(self, df: cython.int) -> cython.int:
        return (df if df < self.levels else self.levels) - 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def unlink(self, entry: cython.int) -> cython.void:
        level: cython.int = self.level(self.entries[entry].df)
        if self.entries[entry].before >= 0:
            self.entries[self.entries[entry].before].after = self.entries[entry].after
        else:
            self.heads[level] = self.entries[entry].after
        if self.entries[entry].after >= 0:
            self.entries[self.entries[entry].after].before = self.entries[entry].before
        else:
            self.tails[level] = self.entries[entry].before

    @cython.cfunc
    @cython.exceptval(check=False)
    def link(self, entry: cython.int) -> cython.void:
        level: cython.int = self.level(self.entries[entry].df)
        self.entries[entry].before = self.tails[level]
        self.entries[entry].after = -1
        if self.tails[level] >= 0:
            self.entries[self.tails[level]].after = entry
        else:
            self.heads[level] = entry
        self.tails[level] = entry

    @cython.cfunc
    @cython.exceptval(check=False)
    def place(self, entry: cython.int) -> cython.void:
        slot: cython.uint = self.home(self.entries[entry].key)
        while self.slots[slot] >= 0:
            slot = (slot + 1) & self.mask
        self.slots[slot] = entry

    @cython.cfunc
    def grow(self) -> cython.int:
        """Double the room for entries, and the slot table if it would be more than half full."""
        room: cython.size_t = cython.cast(cython.size_t, self.room) * 2
        slots: cython.size_t = cython.cast(cython.size_t, self.mask) + 1
        i: cython.int
        if room > 2**30:
            raise MemoryError
        if room * 2 <= slots:
            self.reserve(room, slots)
        else:
            slots = room * 2
            self.reserve(room, slots)
            for i in range(cython.cast(cython.int, slots)):
                self.slots[i] = -1
            for i in range(self.used):
                if self.entries[i].df > 0:
                    self.place(i)
        return 0

    @cython.cfunc
    def reserve(self, room: cython.size_t, slots: cython.size_t) -> cython.int:
        """Get memory for so many entries and slots."""
        self.entries = cython.cast(cython.pointer[Entry], resized(self.entries, room, cython.sizeof(Entry)))
        self.slots = cython.cast(cython.p_int, resized(self.slots, slots, cython.sizeof(cython.int)))
        self.room = cython.cast(cython.int, room)
        self.mask = cython.cast(cython.uint, slots - 1)
        self.shift = 64
        while slots > 1:
            slots >>= 1
            self.shift -= 1
        return 0

    @cython.cfunc
    def make_room(self, count: cython.size_t) -> cython.int:
        """Give an empty table room for so many entries at once."""
        room: cython.size_t = cython.cast(cython.size_t, self.room)
        i: cython.size_t
        while room < count:
            room *= 2
        if room > 2**30:
            raise MemoryError
        self.reserve(room, max(room * 2, cython.cast(cython.size_t, self.mask) + 1))
        for i in range(cython.cast(cython.size_t, self.mask) + 1):
            self.slots[i] = -1
        return 0

    @cython.cfunc
    def add(self, key: cython.ulonglong, df: cython.int, last: cython.int) -> cython.int:
        entry: cython.int
        if self.spare < 0 and self.used == self.room:
            self.grow()
        if self.spare >= 0:
            entry = self.spare
            self.spare = self.entries[entry].after
        else:
            entry = self.used
            self.used += 1
        self.entries[entry].key = key
        self.entries[entry].df = df
        self.entries[entry].last = last
        self.place(entry)
        self.link(entry)
        self.count += 1
        return entry

    @cython.cfunc
    @cython.exceptval(check=False)
    def drop(self, entry: cython.int) -> cython.void:
        """Take an entry out; move later ones of its probe run back, so that no tombstone is left."""
        slot: cython.uint = self.home(self.entries[entry].key)
        hole: cython.uint
        wanted: cython.uint
        while self.slots[slot] != entry:
            slot = (slot + 1) & self.mask
        hole = slot
        while True:
            slot = (slot + 1) & self.mask
            if self.slots[slot] < 0:
                break
            wanted = self.home(self.entries[self.slots[slot]].key)
            if ((slot - wanted) & self.mask) >= ((slot - hole) & self.mask):
                self.slots[hole] = self.slots[slot]
                hole = slot
        self.slots[hole] = -1
        self.unlink(entry)
        self.entries[entry].df = 0
        self.entries[entry].after = self.spare
        self.spare = entry
        self.count -= 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def shrink(self) -> cython.void:
        level: cython.int
        entry: cython.int
        for level in range(self.levels):
            if self.lives[level] >= 0:
                entry = self.heads[level]
                while entry >= 0 and self.now - self.entries[entry].last >= self.lives[level]:
                    self.drop(entry)
                    entry = self.heads[level]
        level = 0
        while self.count > self.most:
            while self.heads[level] < 0:
                level += 1
            self.drop(self.heads[level])

    def observe(self, keys):
        i: cython.Py_ssize_t
        entry: cython.int
        key: cython.ulonglong[::1] = np.ascontiguousarray(keys, np.uint64)
        counts = np.empty(len(keys), np.int32)
        out: cython.int[::1] = counts
        if self.now == 2**31 - 1:
            raise OverflowError("a table counts at most 2**31 - 1 pages")
        self.now += 1
        for i in range(key.shape[0]):
            entry = self.find(key[i])
            if entry < 0:
                self.add(key[i], 1, self.now)
                out[i] = 1
                continue
            if self.entries[entry].last != self.now:
                self.unlink(entry)
                self.entries[entry].df += 1
                self.entries[entry].last = self.now
                self.link(entry)
            out[i] = self.entries[entry].df
        self.shrink()
        return counts

    def counts(self, keys):
        i: cython.Py_ssize_t
        entry: cython.int
        key: cython.ulonglong[::1] = np.ascontiguousarray(keys, np.uint64)
        counts = np.empty(len(keys), np.int32)
        out: cython.int[::1] = counts
        for i in range(key.shape[0]):
            entry = self.find(key[i])
            out[i] = 0 if entry < 0 else self.entries[entry].df
        return counts

    def dump(self):
        i: cython.Py_ssize_t = 0
        level: cython.int
        entry: cython.int
        keys = np.empty(self.count, np.uint64)
        dfs = np.empty(self.count, np.int32)
        lasts = np.empty(self.count, np.int32)
        key: cython.ulonglong[::1] = keys
        df: cython.int[::1] = dfs
        last: cython.int[::1] = lasts
        for level in range(self.levels):
            entry = self.heads[level]
            while entry >= 0:
                key[i] = self.entries[entry].key
                df[i] = self.entries[entry].df
                last[i] = self.entries[entry].last
                i += 1
                entry = self.entries[entry].after
        return keys, dfs, lasts

    def load(self, pages, keys, dfs, lasts):
        i: cython.Py_ssize_t
        if self.count or self.now:
            raise ValueError("only an empty table can be loaded")
        keys = np.ascontiguousarray(keys, np.uint64)
        dfs = np.ascontiguousarray(dfs, np.int32)
        lasts = np.ascontiguousarray(lasts, np.int32)
        if not len(keys) == len(dfs) == len(lasts) or (
            len(dfs) and (dfs.min() < 1 or (dfs > lasts).any() or lasts.max() > pages)
        ):
            raise ValueError("the entries to load are inconsistent")
        key: cython.ulonglong[::1] = keys
        df: cython.int[::1] = dfs
        last: cython.int[::1] = lasts
        self.make_room(cython.cast(cython.size_t, key.shape[0]))
        for i in range(key.shape[0]):
            if self.find(key[i]) >= 0:
                raise ValueError("a key to load is there twice")
            self.add(key[i], df[i], last[i])
        self.now = pages
        self.shrink()
