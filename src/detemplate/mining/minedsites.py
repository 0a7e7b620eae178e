"""What was mined from sites, and the second level of mining: what many sites have is no template."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from detemplate.errors import counted
from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.files import Collection, Expression, Expressions
from detemplate.expressions.mine import by_weight
from detemplate.io.record import skipped_lines
from detemplate.report.histogram import Histogram

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from detemplate.expressions.mine import Miner
    from detemplate.expressions.tokens import Tokenizer


class MinedSite(NamedTuple):
    """What was mined from one site.

    ``site``: its name.
    ``documents``, ``tokens``, ``histogram``, ``least_documents``, ``expressions``, ``left_out``: as of
        :class:`~detemplate.expressions.mine.Mined`.
    ``strings``: number of the maximal strings.
    """

    site: str
    documents: int
    tokens: int
    strings: int
    histogram: npt.NDArray[np.int64]
    least_documents: int | None
    expressions: tuple[Expression, ...]
    left_out: int

    @classmethod
    def of(cls, miner: Miner) -> MinedSite:
        """Mine a site, whose name the miner has."""
        mined = miner.mine()
        return cls(
            miner.name, mined.documents, mined.tokens, len(mined.strings), mined.histogram,
            mined.least_documents, mined.expressions, mined.left_out,
        )  # fmt: skip


@dataclass(slots=True)
class MiningRun:
    """The result of a mining run.

    ``expressions``: the expressions of all sites, with counts for each site.
    ``histograms``: one a site.
    ``idioms``: expressions that the second level dropped, counted once a site.
    ``left_out``: expressions left out because a site's would have more tokens than its documents.
    ``skipped``: number of skips by reason.
    ``seconds``: wall-clock time.
    """

    expressions: Expressions
    histograms: list[Histogram]
    idioms: int
    left_out: int
    skipped: Counter[str]
    seconds: float

    def lines(self, most: int = 20) -> list[str]:
        """Summarise the run for a person: a line for each of the ``most`` largest sites, then the totals."""
        collections = self.expressions.collections
        rows = sorted(collections, key=lambda each: (-each.documents, each.name))
        lines = []
        for each in rows[:most]:
            cut = (
                f"template from {counted(each.cut, 'document')} on" if each.cut is not None else "no cut-off"
            )
            lines.append(
                f"{each.name or '(no host)'}: {counted(each.documents, 'document')}, "
                f"{counted(each.tokens, 'token')}, {counted(each.strings, 'string')}, {cut}, "
                f"{counted(each.expressions, 'expression')}"
            )
        if len(rows) > most:
            lines.append(f"… and {counted(len(rows) - most, 'more site')}")
        idioms = f" ({counted(self.idioms, 'idiom')} dropped)" if self.idioms else ""
        left_out = f" ({self.left_out:,} left out as too long together)" if self.left_out else ""
        lines.append(
            f"{counted(len(self.expressions.expressions), 'expression')}{idioms}{left_out} from "
            f"{counted(self.expressions.documents, 'document')} of {counted(len(rows), 'site')} "
            f"in {self.seconds:.1f} s"
        )
        return lines + skipped_lines(self.skipped)


def joined_sites(
    sites: Sequence[MinedSite],
    tokenizer: Tokenizer,
    most: float | None,
    skipped: Counter[str],
    began: float,
) -> MiningRun:
    """Drop what is mined from many sites; put the expressions of all sites together.

    ``sites``: the mined sites, ordered by name.
    ``tokenizer``: has split their documents.
    ``most``: as for :func:`~detemplate.expressions.collections.idiom_limit`.
    ``skipped``: number of skips by reason.
    ``began``: when the run began, by :func:`time.perf_counter`.
    """
    counts = count_collections(mined.expressions for mined in sites)
    limit = idiom_limit(most, len(sites))
    kept: list[Expression] = []
    rows: list[Collection] = []
    for mined in sites:
        own = without_idioms(mined.expressions, counts, limit)
        kept += own
        rows.append(
            Collection(
                mined.site, mined.documents, mined.tokens, mined.strings, mined.least_documents, len(own)
            )
        )
    return MiningRun(
        Expressions(
            tokenizer.token, tokenizer.separator, tokenizer.mutables,
            tuple(sorted(kept, key=by_weight)), tuple(rows),
        ),
        [Histogram(mined.site, mined.documents, mined.histogram, mined.least_documents) for mined in sites],
        sum(len(mined.expressions) for mined in sites) - len(kept),
        sum(mined.left_out for mined in sites),
        skipped,
        time.perf_counter() - began,
    )  # fmt: skip
