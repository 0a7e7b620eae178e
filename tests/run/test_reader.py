"""Pages that come twice are told apart by more than a hash."""

import xxhash

from detemplate.io.record import Record
from detemplate.run.reader import first_of_each


def test_urls_of_one_xxh64_are_two_pages():
    one, two = urls_of_one_xxh64()
    assert one != two
    assert xxhash.xxh64_intdigest(one) == xxhash.xxh64_intdigest(two)
    items = first_of_each([Record(url.decode(), "x") for url in (one, two, one)])
    assert [isinstance(item, Record) for item in items] == [True, True, False]


def urls_of_one_xxh64():
    """Make two URLs that differ in two words of one lane of XXH64, such that the lane is the same after both."""
    first, second, size = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 1 << 64

    def after(lane, data, at):
        word = int.from_bytes(data[at : at + 8], "little")
        lane = (lane + word * second) % size
        return (lane << 31 | lane >> 33) * first % size

    one = b"http://e.org/".ljust(96, b"a")
    start = after((first + second) % size, one, 0)
    for number in range(100_000):
        other = one[:32] + b"%08d" % number + one[40:]
        gap = after(start, one, 32) - after(start, other, 32)
        word = (int.from_bytes(one[64:72], "little") + gap * pow(second, -1, size)) % size
        word = word.to_bytes(8, "little")
        if word.isascii():
            return one, other[:64] + word + other[72:]
    raise AssertionError("no such URLs")
