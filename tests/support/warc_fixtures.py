"""WARC files for tests, written by hand: FastWARC could not write the broken ones."""

import gzip
import struct
from collections.abc import Iterable

import zstandard

HTML = b"text/html; charset=utf-8"


def record(
    block: bytes = b"",
    *,
    url: str = "http://e.org/",
    kind: str = "response",
    content_type: str = "application/http; msgtype=response",
    length: int | None = None,
    extra: str = "",
) -> bytes:
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\n{target}WARC-Date: 2020-02-03T04:05:06Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n{extra}"
        f"Content-Type: {content_type}\r\nContent-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def http(body: bytes, *headers: str, status: str = "200 OK", content_type: str | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers]
    lines.append(f"Content-Type: {content_type or HTML.decode()}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def page(number: int, words: int = 20) -> bytes:
    body = f"<html><p>page {number} " + " ".join(f"w{number * words + i}" for i in range(words))
    return record(http(body.encode()), url=f"http://e.org/{number}")


def warcinfo() -> bytes:
    return record(b"software: x\r\n", kind="warcinfo", url="", content_type="application/warc-fields")


def pack(records: Iterable[bytes], compression: str) -> bytes:
    """Put records in a file as archives do: each its own gzip member or zstd frame."""
    if compression == "zst-dictionary":
        samples = [b"hello page %d of the site " % i * 20 for i in range(3000)]
        dictionary = zstandard.train_dictionary(4000, samples)
        raw = zstandard.compress(dictionary.as_bytes())
        compressor = zstandard.ZstdCompressor(dict_data=dictionary)
        head = b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(raw)) + raw
        return head + b"".join(compressor.compress(item) for item in records)
    one = {"": bytes, ".gz": lambda item: gzip.compress(item, mtime=0), ".zst": zstandard.compress}[
        compression
    ]
    return b"".join(one(item) for item in records)
