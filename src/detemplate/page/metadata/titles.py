"""Chooses a page's own title, and takes the name of its site off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from detemplate.page import tags
from detemplate.page.address import at_home, host
from detemplate.page.metadata.record import plain
from detemplate.page.metadata.titleparts import UNKNOWN, SharedParts, counted, key, split, without_ends

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.page.page import Page

_NO_HEADLINE: Final = tags.numbers("a option")  # tags around other texts that say a part of the title
_MOST_SHOWN: Final = 3  # texts that show a part of the title; more are the site's name
_BEHIND: Final = 0.25  # least share of a page's text that stands behind its headline
_H1: Final = tags.IDS["h1"]
_H2: Final = tags.IDS["h2"]
_H3: Final = tags.IDS["h3"]
_MOST_SMALLER: Final = 30  # ``h2`` and ``h3`` elements that are read
_MOST_HEADINGS: Final = 5  # ``h1`` elements that are read
_MOST_PIECES: Final = 20  # segments of a heading that are read

# What links a heading to itself: signs, and characters of fonts of pictures.
_SIGN: Final = re.compile(r"\s+[#¶§🔗⚓]+$|\s*[¶🔗\ue000-\uf8ff]+$")

_WORDS: Final = re.compile(r"\w+")  # words

# Least share of a title's letters that a heading must have to stand for it, unless it is a whole piece.
_LEAST_SHARE: Final = 0.2

_SITE_WORDS: Final = 4  # most words at the end of a title that are taken for the name of an unknown site

# Least shares of the words of a heading and of a title that the other must have, to be the same title.
_SHARED: Final = (0.5, 0.3)

_LEAST_WORDS: Final = 5  # fewest words of a heading that is compared so


def headings(page: Page) -> dict[str, int]:
    """Give the texts of a page's first ``h1`` elements, and their rows."""
    found: dict[str, int] = {}
    for row in page.landmarks.get(_H1, ())[:_MOST_HEADINGS]:
        found.setdefault(_text(page, row), row)
    found.pop("", None)
    return found


def site_names(page: Page, told: Iterable[str]) -> set[str]:
    """Give the keys of what names a page's site: the names that it tells, and its host."""
    address = host(page.url).partition(":")[0]
    labels = [label for label in address.split(".") if label not in ("www", "m", "blog", "news", "en")]
    names = {key(address), key(address.removeprefix("www.")), key(labels[0]) if labels else ""}
    if len(labels) > 2:
        names.add(key(labels[-2]))
    names |= {key(name) for name in set(told)}
    return {name for name in names if len(name) > 2}


def own_title(title: str, sites: set[str]) -> str:
    """Take the name of the site, by the keys of its names, off the ends of a title."""
    return without_ends(title, lambda part: _names_site(part, sites))


def _behind_site(title: str, sites: set[str]) -> str:
    """Take the name of the site and a colon off the front of a title of more words."""
    before, _, rest = title.partition(": ")
    return rest if " " in rest and key(before) in sites else title


def site_in(title: str, own: str, sites: set[str]) -> str:
    """Give the name of the site that a title ends or begins with; ``""`` if it does not.

    ``title``: text of the ``title`` element, white space collapsed.
    ``own``: the page's own title. What stands beside it is the name of the site.
    ``sites``: keys of the names of the site.
    """
    pieces = split(title)
    before, colon, _ = title.partition(": ")
    if colon and key(before) in sites:
        return before
    if len(pieces) < 3:
        return ""
    last, first = pieces[-1], pieces[0]
    for piece in (last, first):
        if _names_site(piece, sites):
            return piece
    ends = {key(first): last, key(last): first} if len(pieces) == 3 else {}
    beside = ends.get(key(own), "")
    return beside if len(beside.split()) <= _SITE_WORDS else ""


def _names_site(piece: str, sites: set[str]) -> bool:
    own = key(piece)
    return own in sites or any(
        len(name) > 3
        and (own.startswith(name) or (len(own) > 3 and own in name))
        and len(own) < 3 * len(name)
        for name in sites
    )


def _without_short_end(title: str) -> str:
    """Take a last piece of few words off a title, which is the name of a site as a rule."""
    pieces = split(title)
    rest = "".join(pieces[:-2]).strip()
    short = len(pieces) > 2 and len(pieces[-1].split()) <= _SITE_WORDS
    return rest if short and len(_words(rest)) > len(_words(pieces[-1])) else title


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))


def choose_title(
    page: Page,
    headings: Iterable[str],
    told: Iterable[str],
    sites: set[str],
    shared: SharedParts = UNKNOWN,
) -> str:
    """Choose a page's own title.

    A heading that a title of the page's head holds is the page's title. Without such a heading, it is the
    first title of the head without the site's name, or the only heading, if that says much the same. What
    other pages of the site have, too, is no title if the ``title`` element says more.

    ``page``: the page.
    ``headings``: texts of its headings.
    ``told``: titles of the head, the most reliable first.
    ``sites``: keys of the names of the site.
    ``shared``: what the site's other pages say of the parts of the ``title`` element.
    """
    whole = _unsigned(page.title)
    of_site = shared.of_site(whole)
    titles = list(dict.fromkeys(filter(key, (*map(_unsigned, dict.fromkeys(told)), whole))))
    if not at_home(page.url):
        titles = [_behind_site(title, sites) for title in titles]
    if of_site:
        ends = shared.ends(whole)
        titles = [without_ends(title, lambda part: key(part) in ends) for title in titles]
    chosen = _chosen(page, headings, titles, sites | of_site, of_site)
    return shared.own(whole, chosen) or chosen


def _chosen(
    page: Page, headings: Iterable[str], titles: list[str], sites: set[str], of_site: set[str]
) -> str:
    """Choose a title, where nothing is known of other pages but which parts of titles are the site's."""
    shown = [text for text in headings if key(text) not in sites]
    keyed = [(title, key(title)) for title in titles]
    ranked = [(_rank(heading, keyed), len(heading), heading) for heading in shown]
    rank, _, heading = max(ranked, default=(0, 0, ""), key=lambda found: found[:2])
    if rank == 1 and (beside := _beside(page, key(heading), titles)):
        return beside
    if rank > 0:
        return own_title(heading, sites)
    if not shown and (part := _shown_part(page, sites)):
        return part
    sites = sites.union(key(heading) for rank, _, heading in ranked if rank < 0)
    for title in titles:
        own = own_title(title, sites)
        own = own if of_site else _without_short_end(own)
        if key(own) not in sites and not of_site.issuperset(counted(own)):
            return shown[0] if len(shown) == 1 and _says_the_same(shown[0], own) else own
    return (shown or titles or [""])[0]


def _shown_part(page: Page, sites: set[str]) -> str:
    """Give the first or last part of the ``title`` element that a text above the page's content shows."""
    pieces = [key(piece) for piece in split(_unsigned(page.title))[::2]]
    columns, chars, shown = page.columns, page.segment_chars, page.title_segments
    if len(pieces) < 2 or not 0 < len(shown) <= _MOST_SHOWN:
        return ""
    text = _unsigned(page.segment_text(shown[0]))
    own = key(text)
    rest = sum(map(len, pieces)) - len(own)
    # The name of the site mostly stands last, and is short.
    long = len(own) >= rest if own == pieces[-1] else own == pieces[0] and 2 * len(own) >= rest
    if own in sites or not long:
        return ""
    for number in shown:
        behind = chars[number:].sum() >= _BEHIND * chars.sum()
        tag = columns.tag[list(columns.above(int(page.segments[number])))].tolist()
        if number and behind and _NO_HEADLINE.isdisjoint(tag):
            return text
    return ""


def _rank(heading: str, titles: list[tuple[str, str]]) -> int:
    """Tell how well a heading stands for one of the titles, which come with their keys."""
    own = key(heading)
    rank = 0
    for title, whole in titles if len(own) > 2 else ():
        if own == whole:
            return 2
        if own in whole:
            keys = [key(piece) for piece in split(title)[::2]]
            if len(keys) > 1 and keys[-1] == own:
                rank = rank or (1 if len(own) >= sum(map(len, keys[:-1])) else -1)
            elif own in keys or len(own) >= _LEAST_SHARE * len(whole):
                return 2
    return rank


def _beside(page: Page, end: str, titles: list[str]) -> str:
    """Give what stands before the end of a title, if a smaller heading of the page is the same."""
    rests = {}
    for title in titles:
        pieces = split(title)
        if len(pieces) > 2 and key(pieces[-1]) == end:
            rest = "".join(pieces[:-2]).strip()
            rests[key(rest)] = rest
    tag = page.columns.tag
    rows = ((tag == _H2) | (tag == _H3)).nonzero()[0][:_MOST_SMALLER].tolist()
    return next((rests[own] for own in (key(_text(page, row)) for row in rows) if own in rests), "")


def _text(page: Page, row: int) -> str:
    inside = page.segments_in(row)[:_MOST_PIECES]
    return _unsigned(" ".join([page.segment_text(number) for number in inside]))


def _unsigned(text: str) -> str:
    text = plain(text)
    return text if text[-1:].isalnum() else _SIGN.sub("", text)


def _says_the_same(heading: str, title: str) -> bool:
    shown, told = _words(heading), _words(title)
    least = max(_SHARED[0] * len(shown), _SHARED[1] * len(told))
    return len(shown) >= _LEAST_WORDS and len(shown & told) >= least
