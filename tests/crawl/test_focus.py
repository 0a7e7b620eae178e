"""Focused crawling: the relevance of links, and the order in which pages come."""

import numpy as np

from benchmarks.support.siteserver import SiteServer

MENU = "<ul><li><a href='/menu1'>rock climbing</a><li><a href='/menu2'>all about rock</a><li><a href='/menu3'>rope</a></ul>"


def article(number, text, links):
    filler = " ".join(f"tea{number * 5 + step}" for step in range(30))
    body = f"<main><h1>Page {number}</h1><p>{text} {filler}</p><div>{links}</div></main>"
    return f"<html><body><nav>{MENU}</nav>{body}<footer>the rock climbing club, all rights</footer></body></html>"


def test_the_order_of_crawls(crawl):
    """Relevant content first with a focus; links in templates late with a penalty."""
    links = " ".join(f"<p><a href='/{name}'>{name}</a>" for name in ("tea0", "tea1", "tea2", "tea3", "rock0"))
    pages = {"/": f"<h1>Start</h1>{links}"}
    pages |= {
        f"/tea{n}": article(20 + n, "tea", f"<a href='/tea{n + 4}'>cup number {n * 7}</a>") for n in range(12)
    }
    pages |= {
        f"/rock{n}": article(60 + n, "rock climbing", f"<a href='/rock{n + 1}'>face {n * 5}</a>")
        for n in range(6)
    }
    pages |= {f"/menu{n}": article(90 + n, "menu", f"<a href='/more{n}'>more</a>") for n in (1, 2, 3)}
    orders = {}
    with SiteServer(pages) as server:
        for name, options in {
            "plain": (),
            "later": ("--template-penalty", 3),
            "whole": ("--focus", "rock climbing", "--whole-pages"),
            "own": ("--focus", "rock climbing"),
        }.items():
            server.log.clear()
            assert crawl(server.url(), *options, "-o", "c.warc.gz").code in {0, 3}
            orders[name] = [one.target for one in server.log if one.target in pages]
    assert {len(order) for order in orders.values()} == {len(pages)}

    def mean_place(order, beginning):
        return float(np.mean([place for place, path in enumerate(order) if path.startswith(beginning)]))

    assert mean_place(orders["later"], "/menu") > mean_place(orders["plain"], "/menu")
    assert mean_place(orders["own"], "/rock") < mean_place(orders["plain"], "/rock")
    assert mean_place(orders["own"], "/rock") < mean_place(orders["whole"], "/rock")
    assert mean_place(orders["own"], "/menu") > mean_place(orders["whole"], "/menu")


def test_what_good_hubs_link_to_comes_first(crawl):
    """Eight lists name the same good pages; four lists that are more about the topic do not."""
    good = [f"good{n}" for n in range(12)]

    def listing(number):
        names = [f"only{number}x{n}" for n in range(10)] + (good if number >= 4 else [])
        items = "".join(f"<p><a href='/{name}'>rock climbing {name}</a>" for name in names)
        text = "rock climbing " * (40 if number < 4 else 4)
        return f"<h1>List {number}</h1><p>{text} tea{number}</p><div>{items}</div>"

    starts = "".join(f"<p><a href='/list{n}'>rock {n}</a>" for n in range(12))
    pages = {"/": f"<h1>Start</h1><div>{starts}</div>"} | {f"/list{n}": listing(n) for n in range(12)}
    pages |= {f"/{name}": f"<h1>{name}</h1><p>text of {name}" for name in good}
    pages |= {f"/only{n}x{m}": f"<h1>{n} {m}</h1><p>text {n * 10 + m}" for n in range(12) for m in range(10)}
    focus = ("--focus", "rock climbing", "--whole-pages")  # short lists look like template
    places = {}
    with SiteServer(pages) as server:
        for name, options in {"whole": (), "distilled": ("--distill",)}.items():
            server.log.clear()
            assert crawl(server.url(), *focus, *options, "-o", "c.warc.gz").code == 0
            order = [one.target for one in server.log if one.target in pages]
            assert len(order) == len(pages)
            places[name] = [order.index(f"/{page}") for page in good]
    assert np.mean(places["distilled"]) < np.mean(places["whole"]) - 3, places
