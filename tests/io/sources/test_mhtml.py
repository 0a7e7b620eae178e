"""Pages that browsers save as MHTML."""

import time
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from tests.support.io_helpers import read

HTML = "<!doctype html><html><p>Größe – page</p><script>a=b;</script></html>"
IMAGE = "\r\n".join(["iVBORw0KGgoAAAANSUhEUgAA" * 3] * 40)
BLINK = (
    "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://e.org/a?b=1\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="----B----"\r\n\r\n\r\n'
    "------B----\r\nContent-Type: text/html\r\nContent-ID: <frame@x>\r\nContent-Transfer-Encoding: quoted-printable\r\n"
    "{location}\r\n<html><p>caf=C3=A9 on a lo=\r\nng line</p></html>\r\n"
    "------B----\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
    "Content-Location: https://e.org/i.png\r\n\r\n" + IMAGE + "\r\n------B------\r\n"
)  # fmt: skip


def saved(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("Content-Location: https://e.org/own\r\n", "https://e.org/own"),
        ("Content-Location:\r\n https://e.org/a-\r\n folded\r\n", "https://e.org/a-folded"),
        ("", "https://e.org/a?b=1"),
        ("Content-Location: cid:7@x\r\n", "https://e.org/a?b=1"),
    ],
)
@pytest.mark.parametrize("suffix", [".mht", ".mhtml"])
def test_as_chrome_saves_it(tmp_path, suffix, location, url):
    (page,) = read(saved(tmp_path / ("x" + suffix), BLINK.format(location=location)))
    assert page.url == url
    assert isinstance(page.html, bytes)
    assert page.html.decode() == "<html><p>café on a long line</p></html>"
    assert page.media_type == "text/html"


def test_other_ways(tmp_path):
    """The root may be named, encoded in any way, or the only part."""
    message = MIMEMultipart("related", start="<root@x>")
    for name, text in (("frame@x", "<p>a frame"), ("root@x", HTML)):
        part = MIMEText(text, "html", "iso-8859-15" if name == "frame@x" else "utf-8")
        part["Content-ID"] = f"<{name}>"
        message.attach(part)
    (page,) = read(saved(tmp_path / "x.mht", message.as_bytes()))
    assert (page.html, page.charset) == (HTML.encode(), "utf-8")
    assert page.url == (tmp_path / "x.mht").as_uri()
    single = EmailMessage()
    single.set_content(HTML, subtype="html", cte="base64")
    single["Content-Location"] = "http://e.org/1"
    (page,) = read(saved(tmp_path / "y.mht", single.as_bytes()))
    assert page.url == "http://e.org/1"
    assert isinstance(page.html, bytes)
    assert page.html.strip() == HTML.encode()


def test_in_a_directory(tmp_path):
    saved(tmp_path / "a.mht", BLINK.format(location=""))
    saved(tmp_path / "b.html", HTML)
    assert [item.url for item in read(tmp_path)] == ["https://e.org/a?b=1", (tmp_path / "b.html").as_uri()]


@pytest.mark.parametrize(
    ("content", "reason", "detail"),
    [
        ("", "bad record", "no HTML part"),
        ("hello", "bad record", "no HTML part"),
        (BLINK.replace("text/html", "text/plain"), "bad record", "no HTML part"),
        (BLINK[: BLINK.index("ng line")], "truncated", "in the middle of the page"),
        (BLINK.replace("lo=\r\nng", "x" * 5000), "too large", "more than 4000 bytes"),
        ("Content-Type: multipart/related; boundary=a\n\n--a\n" * 60, "bad record", "over 50 parts of parts"),
        (b"\xff\xfe" * 400, "bad record", "no HTML part"),
    ],
)
def test_files_that_are_damaged(tmp_path, content, reason, detail):
    (skip,) = read(saved(tmp_path / "x.mhtml", content), limit=1000)
    assert (skip.reason, skip.rejected) == (reason, True)
    assert detail in skip.detail


def test_a_cut_after_the_page_costs_nothing(tmp_path):
    (page,) = read(saved(tmp_path / "x.mhtml", BLINK.format(location="")[:-500]))
    assert isinstance(page.html, bytes)
    assert page.html.endswith(b"</html>")


def test_parts_of_parts_take_bounded_time(tmp_path):
    nested = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(50))
    start = time.process_time()
    read(saved(tmp_path / "x.mhtml", nested + "word\n" * 100_000))
    assert time.process_time() - start < 10
