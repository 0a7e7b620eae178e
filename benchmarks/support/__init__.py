"""Parts of the benchmarks: other extractors, made data, comparisons, reports.

``results``, ``floors``, ``quality_report``, ``worst``
    Quality: kept scores of peers, recorded floors, the report, the worst pages as HTML.
``speed``, ``memory``
    Times of extractors side by side; the memory of this process.
``renderings``
    Times of text, Markdown and HTML of cleaned pages.
``pagesseen`` and ``pagesseen_*``
    Quality against the number of a site's pages seen.
``layouts``
    Agreement of the estimated layout with a browser's.
``fuzzing``
    Damaged and arbitrary input.
``crawlgraph``, ``synthetic``, ``ideographs``
    Made data: crawls with known templates, one endless site, labelled pages in a script without letters.
"""
