"""Other extractors, each with its defaults, behind one signature.

A peer is a function ``(url, html) -> text``. One that compares the pages of a site (deboiler, ChromeRAG with
its site model) first learns from ``[(url, html), ...]`` and then gives the text of a page by its number. All
peers get decoded HTML: their guesses of encodings are not measured.

jusText needs a list of stop words. It gets its own list of the page's declared language (``<html lang>``), or
its documented language-independent settings where it has none: an empty list and both stop-word thresholds 0.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import turbohtml

from detemplate.errors import UserError
from lab.labelled.metrics import visible_text
from lab.peers.runner import Peer, SitePeer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LANGUAGE: Final = re.compile(r"<html\b[^>]*?\slang\s*=\s*[\"']?\s*([a-zA-Z]{2,3})\b", re.IGNORECASE)
_STOPLISTS: Final = {
    "af": "Afrikaans", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ka": "Georgian", "kk": "Kazakh",
    "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ms": "Malay",
    "nb": "Norwegian_Bokmal", "nl": "Dutch", "nn": "Norwegian_Nynorsk", "no": "Norwegian_Bokmal",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese",
}  # fmt: skip
"""jusText's lists of stop words, by primary language subtag."""


def find_peers(names: str, known: Sequence[Peer] | None = None) -> list[Peer]:
    """Find peers by name: ``all``, ``none``, or names separated by commas; UserError for unknown ones."""
    peers = {peer.name: peer for peer in (PEERS if known is None else known)}
    if names in ("all", "none"):
        return list(peers.values()) if names == "all" else []
    wanted = {name.strip() for name in names.split(",")}
    if unknown := sorted(wanted - peers.keys()):
        raise UserError(f"unknown peer {unknown[0]!r}; known are {', '.join(peers)}")
    return [peer for name, peer in peers.items() if name in wanted]


def declared_language(html: str) -> str:
    """Read the primary subtag of ``<html lang>`` in lower case, or ``""``.

    >>> declared_language('<!doctype html><html class="x" lang="pt-BR">')
    'pt'
    """
    found = _LANGUAGE.search(html[:20_000])
    return found[1].lower() if found else ""


def _resiliparse() -> Callable[[str, str], str]:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda _url, html: str(extract(html, main_content=True))


def _trafilatura(*, fast: bool) -> Callable[[str, str], str]:
    extract = import_module("trafilatura").extract
    return lambda url, html: extract(html, url=url, fast=fast) or ""


def _justext() -> Callable[[str, str], str]:
    justext = import_module("justext")
    stoplist = cache(justext.get_stoplist)

    def extract(_url: str, html: str) -> str:
        language = declared_language(html)
        if language in _STOPLISTS:
            paragraphs = justext.justext(html, stoplist(_STOPLISTS[language]))
        else:
            paragraphs = justext.justext(html, frozenset(), stopwords_low=0, stopwords_high=0)
        return "\n\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return extract


def _readability() -> Callable[[str, str], str]:
    document = import_module("readability").Document

    def extract(url: str, html: str) -> str:
        # It gives HTML. turbohtml makes text of it: lxml's text_content() would join words.
        return turbohtml.parse(document(html, url=url).summary(html_partial=True)).to_text()

    return extract


def _boilerpy3() -> Callable[[str, str], str]:
    extractor = import_module("boilerpy3.extractors").ArticleExtractor()
    return lambda _url, html: str(extractor.get_content(html))


def _deboiler() -> Any:  # noqa: ANN401 - learns from a site, unlike the other loaders
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    deboiler = import_module("deboiler")
    dataset_class = import_module("deboiler.dataset.list_dataset").ListDataset
    # Importing it configures the root logger: undo that.
    root.handlers[:], root.level = handlers, level

    def learn(site: Sequence[tuple[str, str]]) -> Callable[[int], str]:
        # It finds pages by URL, so a repeated URL gets a number. The number comes last, which keeps the order
        # of URLs: that decides which pages are compared.
        seen: set[str] = set()
        keys = []
        for number, (url, _html) in enumerate(site):
            keys.append(f"{url}#{number}" if url in seen else url)
            seen.add(url)
        records = [{"url": key, "content": html} for key, (_url, html) in zip(keys, site, strict=True)]
        dataset = dataset_class(records, status_key=None, content_type_key=None, verbose=False)
        # This mode parses each page once; both modes give the same results.
        detector = deboiler.Deboiler(operation_mode="performance", verbose=False)
        detector.fit(dataset)
        return lambda number: str(detector.transform_page(keys[number], dataset).cleaned_text)

    return learn


def _chromerag() -> Callable[[str, str], str]:
    extractor = import_module("chromerag").ChromeRAG()
    return lambda url, html: _markdown_body(extractor.extract(html, url=url).markdown)


def _chromerag_site() -> Any:  # noqa: ANN401 - learns from a site, unlike the other loaders
    extractor = import_module("chromerag").ChromeRAG
    learn_chrome = import_module("chromerag.batch").learn_chrome
    select = import_module("chromerag.site_chrome").select_model_for_url

    def learn(site: Sequence[tuple[str, str]]) -> Callable[[int], str]:
        # It groups pages by host and first part of the path, and learns groups of at least five pages.
        models = learn_chrome(site)

        def extract(number: int) -> str:
            url, html = site[number]
            return _markdown_body(extractor(site_chrome=select(models, url)).extract(html, url=url).markdown)

        return extract

    return learn


def _markdown_body(markdown: str) -> str:
    """Cut the metadata header off a Markdown text: it is not on the page."""
    return markdown.partition("\n---\n\n")[2] if markdown.startswith("---\n") else markdown


PEERS: tuple[Peer, ...] = (
    Peer("everything", "turbohtml", lambda: lambda _url, html: visible_text(html)),
    Peer("turbohtml", "turbohtml", lambda: lambda _url, html: turbohtml.parse(html).main_text()),
    Peer("resiliparse", "resiliparse", _resiliparse),
    Peer("trafilatura", "trafilatura", lambda: _trafilatura(fast=False)),
    Peer("trafilatura-fast", "trafilatura", lambda: _trafilatura(fast=True)),
    Peer("justext", "justext", _justext),
    Peer("readability-lxml", "readability-lxml", _readability),
    Peer("boilerpy3", "boilerpy3", _boilerpy3),
    Peer("chromerag", "chromerag", _chromerag),
    SitePeer("deboiler", "deboiler", _deboiler),
    SitePeer("chromerag-site", "chromerag", _chromerag_site),
)
"""All peers. ``everything`` gives all visible text, as a baseline; ``turbohtml`` is its ``main_text``."""
