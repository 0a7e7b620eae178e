"""Groups of commands: stores, expressions, the graph of a crawl, Spark."""

from __future__ import annotations

from detemplate.commands.command import Group

store = Group(
    {
        "show": "detemplate.commands.store:show",
        "export": "detemplate.commands.store:export",
        "merge": "detemplate.commands.store:merge",
        "forget": "detemplate.commands.store:forget",
    },
    name="store",
    help="Show, export, merge and forget what stores know of sites.",
)
expressions = Group(
    {"mine": "detemplate.commands.mine:mine", "apply": "detemplate.commands.apply:apply"},
    name="expressions",
    help="Mine template expressions of pages or plain text, and remove what they match.",
)
graph = Group(
    {
        "tables": "detemplate.commands.tables:tables",
        "templates": "detemplate.commands.templates:templates",
        "rank": "detemplate.commands.rank:rank",
        "related": "detemplate.commands.rank:related",
    },
    name="graph",
    help="Find templates over all sites of a crawl, and rank its pages by their links.",
)
spark = Group(
    {"clean": "detemplate.commands.spark:clean", "templates": "detemplate.commands.spark:templates"},
    name="spark",
    help="Clean and find templates on Spark: for crawls in buckets, on many machines.",
)
