# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled recurrence table; :mod:`detemplate.algorithms.recurrence` says what it does.

Entries live in parallel arrays; a slot table (open addressing, linear probing, no tombstones) finds
them by key, and one doubly linked queue a document frequency holds them in order of last occurrence.
Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc, realloc

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.final
@cython.cclass
class RecurrenceTable:
    """See :class:`detemplate.algorithms.recurrence.ReferenceTable`, which behaves the same."""

    keys: cython.p_ulonglong
    df: cython.p_int
    last: cython.p_int
    before: cython.p_int
    after: cython.p_int
    slots: cython.p_int
    heads: cython.p_int
    tails: cython.p_int
    lives: cython.p_longlong
    levels: cython.int
    room: cython.int
    used: cython.int
    spare: cython.int
    count: cython.int
    mask: cython.uint
    most: cython.int
    now: cython.int

    def __cinit__(self, lifetimes, most=2**31 - 1):
        level: cython.int
        given = np.ascontiguousarray(lifetimes, np.int64)
        if given.ndim != 1 or not 1 <= len(given) < 1_000_000:
            raise ValueError("lifetimes must be one row of numbers, one a document frequency")
        if not 1 <= most < 2**31:
            raise ValueError("most must be at least 1 and below 2**31")
        view: cython.longlong[::1] = given
        self.levels = len(given)
        self.most = most
        self.room = 16
        self.mask = 63
        self.spare = -1
        self.keys = cython.cast(cython.p_ulonglong, malloc(16 * cython.sizeof(cython.ulonglong)))
        self.df = cython.cast(cython.p_int, malloc(16 * cython.sizeof(cython.int)))
        self.last = cython.cast(cython.p_int, malloc(16 * cython.sizeof(cython.int)))
        self.before = cython.cast(cython.p_int, malloc(16 * cython.sizeof(cython.int)))
        self.after = cython.cast(cython.p_int, malloc(16 * cython.sizeof(cython.int)))
        self.slots = cython.cast(cython.p_int, malloc(64 * cython.sizeof(cython.int)))
        self.heads = cython.cast(cython.p_int, malloc(self.levels * cython.sizeof(cython.int)))
        self.tails = cython.cast(cython.p_int, malloc(self.levels * cython.sizeof(cython.int)))
        self.lives = cython.cast(cython.p_longlong, malloc(self.levels * cython.sizeof(cython.longlong)))
        if (
            self.keys == cython.NULL
            or self.df == cython.NULL
            or self.last == cython.NULL
            or self.before == cython.NULL
            or self.after == cython.NULL
            or self.slots == cython.NULL
            or self.heads == cython.NULL
            or self.tails == cython.NULL
            or self.lives == cython.NULL
        ):
            raise MemoryError
        for level in range(64):
            self.slots[level] = -1
        for level in range(self.levels):
            self.heads[level] = -1
            self.tails[level] = -1
            self.lives[level] = view[level]

    def __dealloc__(self):
        free(self.keys)
        free(self.df)
        free(self.last)
        free(self.before)
        free(self.after)
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
        return cython.cast(cython.uint, (key * GOLDEN) >> 32) & self.mask

    @cython.cfunc
    @cython.exceptval(check=False)
    def find(self, key: cython.ulonglong) -> cython.int:
        slot: cython.uint = self.home(key)
        while self.slots[slot] >= 0:
            if self.keys[self.slots[slot]] == key:
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
        level: cython.int = self.level(self.df[entry])
        if self.before[entry] >= 0:
            self.after[self.before[entry]] = self.after[entry]
        else:
            self.heads[level] = self.after[entry]
        if self.after[entry] >= 0:
            self.before[self.after[entry]] = self.before[entry]
        else:
            self.tails[level] = self.before[entry]

    @cython.cfunc
    @cython.exceptval(check=False)
    def link(self, entry: cython.int) -> cython.void:
        level: cython.int = self.level(self.df[entry])
        self.before[entry] = self.tails[level]
        self.after[entry] = -1
        if self.tails[level] >= 0:
            self.after[self.tails[level]] = entry
        else:
            self.heads[level] = entry
        self.tails[level] = entry

    @cython.cfunc
    @cython.exceptval(check=False)
    def place(self, entry: cython.int) -> cython.void:
        slot: cython.uint = self.home(self.keys[entry])
        while self.slots[slot] >= 0:
            slot = (slot + 1) & self.mask
        self.slots[slot] = entry

    @cython.cfunc
    def grow(self) -> cython.int:
        room: cython.size_t = cython.cast(cython.size_t, self.room) * 2
        slots: cython.size_t = room * 2
        pointer: cython.p_void
        i: cython.int
        if room > 2**30:
            raise MemoryError
        pointer = realloc(self.keys, room * cython.sizeof(cython.ulonglong))
        if pointer == cython.NULL:
            raise MemoryError
        self.keys = cython.cast(cython.p_ulonglong, pointer)
        pointer = realloc(self.df, room * cython.sizeof(cython.int))
        if pointer == cython.NULL:
            raise MemoryError
        self.df = cython.cast(cython.p_int, pointer)
        pointer = realloc(self.last, room * cython.sizeof(cython.int))
        if pointer == cython.NULL:
            raise MemoryError
        self.last = cython.cast(cython.p_int, pointer)
        pointer = realloc(self.before, room * cython.sizeof(cython.int))
        if pointer == cython.NULL:
            raise MemoryError
        self.before = cython.cast(cython.p_int, pointer)
        pointer = realloc(self.after, room * cython.sizeof(cython.int))
        if pointer == cython.NULL:
            raise MemoryError
        self.after = cython.cast(cython.p_int, pointer)
        if slots > self.mask + 1:
            pointer = realloc(self.slots, slots * cython.sizeof(cython.int))
            if pointer == cython.NULL:
                raise MemoryError
            self.slots = cython.cast(cython.p_int, pointer)
            self.mask = cython.cast(cython.uint, slots - 1)
            for i in range(cython.cast(cython.int, slots)):
                self.slots[i] = -1
            for i in range(self.used):
                if self.df[i] > 0:
                    self.place(i)
        self.room = cython.cast(cython.int, room)
        return 0

    @cython.cfunc
    def add(self, key: cython.ulonglong, df: cython.int, last: cython.int) -> cython.int:
        entry: cython.int
        if self.spare < 0 and self.used == self.room:
            self.grow()
        if self.spare >= 0:
            entry = self.spare
            self.spare = self.after[entry]
        else:
            entry = self.used
            self.used += 1
        self.keys[entry] = key
        self.df[entry] = df
        self.last[entry] = last
        self.place(entry)
        self.link(entry)
        self.count += 1
        return entry

    @cython.cfunc
    @cython.exceptval(check=False)
    def drop(self, entry: cython.int) -> cython.void:
        """Take an entry out; move later ones of its probe run back, so that no tombstone is left."""
        slot: cython.uint = self.home(self.keys[entry])
        hole: cython.uint
        wanted: cython.uint
        while self.slots[slot] != entry:
            slot = (slot + 1) & self.mask
        hole = slot
        while True:
            slot = (slot + 1) & self.mask
            if self.slots[slot] < 0:
                break
            wanted = self.home(self.keys[self.slots[slot]])
            if ((slot - wanted) & self.mask) >= ((slot - hole) & self.mask):
                self.slots[hole] = self.slots[slot]
                hole = slot
        self.slots[hole] = -1
        self.unlink(entry)
        self.df[entry] = 0
        self.after[entry] = self.spare
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
                while entry >= 0 and self.now - self.last[entry] >= self.lives[level]:
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
        given = np.ascontiguousarray(keys, np.uint64)
        found = np.empty(len(given), np.int32)
        inside: cython.ulonglong[::1] = given
        out: cython.int[::1] = found
        if self.now == 2**31 - 1:
            raise OverflowError("a table counts at most 2**31 - 1 pages")
        self.now += 1
        for i in range(inside.shape[0]):
            entry = self.find(inside[i])
            if entry < 0:
                self.add(inside[i], 1, self.now)
                out[i] = 1
                continue
            if self.last[entry] != self.now:
                self.unlink(entry)
                self.df[entry] += 1
                self.last[entry] = self.now
                self.link(entry)
            out[i] = self.df[entry]
        self.shrink()
        return found

    def counts(self, keys):
        i: cython.Py_ssize_t
        entry: cython.int
        given = np.ascontiguousarray(keys, np.uint64)
        found = np.empty(len(given), np.int32)
        inside: cython.ulonglong[::1] = given
        out: cython.int[::1] = found
        for i in range(inside.shape[0]):
            entry = self.find(inside[i])
            out[i] = 0 if entry < 0 else self.df[entry]
        return found

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
                key[i] = self.keys[entry]
                df[i] = self.df[entry]
                last[i] = self.last[entry]
                i += 1
                entry = self.after[entry]
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
        for i in range(key.shape[0]):
            self.add(key[i], df[i], last[i])
        self.now = pages
        self.shrink()
