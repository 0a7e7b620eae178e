"""Going over pieces in one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.errors import PageError, UserError
from detemplate.page.address import shortened
from detemplate.run.limits import failure
from detemplate.run.passes import KEPT, Passes
from detemplate.run.pieces import PieceStates
from detemplate.run.steps import TOGETHER, Begun, PageSteps, groups, question, slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from detemplate.run.passes import Way
    from detemplate.run.pieces import Piece


class LocalRun(Passes):
    """Goes over pieces in this process.

    A page's ``seconds`` are checked between steps, and any exception then costs only its page. Without such a
    limit, exceptions other than PageError are raised. All other arguments are those of :class:`Passes`.
    """

    def __init__(self, *given: Any, seconds: float | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **options)
        self._steps = PageSteps(self._work, float("inf") if seconds is None else seconds)
        self._guarded = seconds is not None
        self._together = TOGETHER if self._ahead else 1
        self._room = KEPT

    def go(self, way: Way, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Do a pass over pieces; outcomes of pages that are cleaned are made as they are taken."""
        for piece in pieces:
            if piece.part is not None:
                yield piece, self._again(way, piece)
                continue
            self._joining.flush()
            yield piece, self._learn(piece) if way == "learn" else self._clean(piece, learn=way == "stream")
        self._joining.flush()

    def _learn(self, piece: Piece) -> list[PageError | None]:
        pages, _ = self._pages(piece)
        cost = sum(Begun(*page, None).cost for page in pages)
        keep = self._keep and cost <= self._room
        alone = PieceStates(self._work.make) if self.saves is not None else None
        outcomes: list[Any] = [None] * len(piece.items)
        kept = []

        def take(begun: Begun) -> Any:  # noqa: ANN401  # what the last step has made
            self._sites.take(*question(begun))
            if alone is not None:
                alone.take(*question(begun))
            return begun.made

        for group in groups(pages, self._together):
            self._steps.ask(group, learn=True, render=keep)
            self._steps.each(group, take)
            for begun in group:
                outcomes[begun.place] = self._error(begun)
            kept += group if keep else []
        if keep:
            self._room -= sum(begun.cost for begun in kept)
            self._remember(piece, kept)
        if self.saves is not None and alone is not None:
            self.saves.learnt(piece, alone.states(), {})
        return outcomes

    def _clean(self, piece: Piece, *, learn: bool) -> Iterator[Any]:
        pages, lost = self._pages(piece)
        alone = PieceStates(self._work.make) if learn and self.saves is not None else None
        kept: list[Begun] | None = self._remembered(piece)
        answer = self._sites.take_and_answer if learn else self._sites.answer

        def answered(begun: Begun) -> Any:  # noqa: ANN401  # see a detector's
            asked = question(begun)
            if alone is not None:
                alone.take(*asked)
            return answer(*asked)

        def outcomes() -> Iterator[Any]:
            at = 0
            for group in groups(pages, self._together) if kept is None else slices(kept):
                if kept is None:
                    self._steps.ask(group, learn=learn, render=True)
                self._steps.finish(group, answered)
                while group:
                    begun = group.pop(0)
                    made = self._error(begun) or begun.made
                    yield from (lost.get(place) for place in range(at, begun.place))
                    at = begun.place + 1
                    yield made
            yield from (lost.get(place) for place in range(at, len(piece.items)))

        if self.saves is None:
            yield from outcomes()
            return
        done = []
        for outcome in outcomes():
            done.append(outcome)
            yield outcome
        self.saves.cleaned(piece, done, alone.states() if alone is not None else None)

    def _error(self, begun: Begun) -> PageError | None:
        """Return the error of a page; raise one that is not the page's."""
        made, url = begun.made, begun.given.url
        if not isinstance(made, Exception) or isinstance(made, PageError):
            return made if isinstance(made, PageError) else None
        if self._guarded and not isinstance(made, UserError):
            return failure(made, url)
        if not isinstance(made, UserError):
            made.add_note(f"raised by detemplate at the page {shortened(str(url))}")
        raise made
