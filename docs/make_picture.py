"""Draws docs/picture.png: a page of the example site, what is removed from it, and what is left.

Run it as ``python docs/make_picture.py``; it needs a Chromium on the PATH.
"""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import detemplate
from detemplate.output.cutting import removed_nodes

ROOT = Path(__file__).parents[1]
SHOWN = "ch04-00-understanding-ownership.html"
STYLE = """<style>
body { font: 15px/1.35 'DejaVu Sans', sans-serif; margin: 14px; max-width: 620px }
nav, ol { margin: 0 } ol.chapter { columns: 2; font-size: 9px; line-height: 1.25 }
[data-template] { background: #ffd9d4 !important; color: #8a1c0d !important }
svg, img { width: 16px } button, #searchbar, #theme-list { font-size: 9px }
</style>"""
FRAME = """<!doctype html><meta charset=utf-8><style>
body {{ margin: 0; background: #f4f4f2; font: 17px 'DejaVu Sans', sans-serif; padding: 18px }}
body {{ display: flex; gap: 18px }}
section {{ background: #fff; border: 1px solid #ccc; border-radius: 6px; width: 660px; height: 820px }}
section {{ overflow: hidden }}
h2 {{ font-size: 15px; font-weight: normal; margin: 0; padding: 9px 14px; background: #2b2b2b; color: #fff }}
iframe {{ border: 0; width: 100%; height: 780px }}
</style>
<section><h2>{before}</h2><iframe srcdoc="{left}"></iframe></section>
<section><h2>{after}</h2><iframe srcdoc="{right}"></iframe></section>"""


def marked(result: detemplate.Result) -> str:
    """Give the page's HTML with the removed elements marked."""
    page = result.page
    canonical = page.canonical
    pieces, at = [], 0
    for row in removed_nodes(page, result.verdict.template):
        start, stop = int(page.columns.start[row]), int(page.columns.stop[row])
        pieces.append(canonical[at:start])
        cut = canonical[start:stop]
        name_end = next(i for i, byte in enumerate(cut) if byte in b" >")
        pieces.append(cut[:name_end] + b" data-template" + cut[name_end:] if cut[:1] == b"<" else cut)
        at = stop
    pieces.append(canonical[at:])
    return b"".join(pieces).decode()


def main() -> None:
    """Clean the example site and photograph one of its pages."""
    browser = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    if browser is None:
        sys.exit("docs/make_picture.py needs Chromium")
    base = "https://doc.rust-lang.org/book/"
    files = sorted((ROOT / "examples" / "rustbook").glob("*.html"))
    pages = [(base + file.name, file.read_text()) for file in files]
    results = detemplate.clean(pages, format="html", sanitize=True)
    result = next(result for result in results if result.url == base + SHOWN)
    reason = result.removed()[0]["reason"]
    scene = FRAME.format(
        before=f"before: {result.template_share:.0%} of the text is template ({reason})",
        after="after: detemplate clean --format html --sanitize",
        left=html.escape(STYLE + marked(result)),
        right=html.escape(STYLE + result.html),
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "scene.html"
        place.write_text(scene)
        subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--disable-background-networking", "--disable-quic", "--no-first-run",
                "--disable-component-update", "--disable-sync", f"--user-data-dir={folder}/profile",
                "--window-size=1376,860",
                f"--screenshot={ROOT / 'docs' / 'picture.png'}", place.as_uri(),
            ],
            check=True, timeout=120,
        )  # fmt: skip


if __name__ == "__main__":
    main()
