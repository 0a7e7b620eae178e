"""Going over pieces in one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.errors import PageError, UserError
from detemplate.page.address import shortened
from detemplate.run.limits import failure
from detemplate.run.passes import KEPT, Passes, fingerprint
from detemplate.run.pieces import cut
from detemplate.run.states import PieceStates
from detemplate.run.steps import TOGETHER, Begun, PageSteps, groups, question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.run.pieces import Piece


class LocalRun(Passes):
    """Goes over pieces in this process.

    Parameters
    ----------
    seconds
        Time that a page may take; it is checked between steps, and any exception then costs only its page.
        None: there is no such limit, and exceptions other than PageError are raised.
    **given
        As for :class:`Passes`.
    """

    def __init__(self, *given: Any, seconds: float | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **options)
        self._steps = PageSteps(self._work, float("inf") if seconds is None else seconds)
        self._guarded = seconds is not None
        self._room = KEPT
        self._kept: dict[int, tuple[list[tuple[int, str, int]], list[Begun]]] = {}

    def cut(self, items: Iterable[Any]) -> Iterator[Piece]:
        """Cut an input into pieces; of one item each, where no other may be taken ahead of its result."""
        return cut(items, self._given, None if self._ahead else 1)

    def close(self) -> None:
        """Forget pages that were kept."""
        self._kept.clear()

    def learn_pieces(self, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Learn pieces."""
        for piece in pieces:
            yield piece, self._absorb(piece) if piece.part is not None else self._learn(piece)
        self._joining.flush()

    def stream_pieces(self, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Learn and clean pieces."""
        for piece in pieces:
            if piece.part is not None:
                self._absorb(piece)
                yield piece, piece.part.outcomes()
            else:
                self._joining.flush()
                yield piece, self._clean(piece, self._sites.take_and_answer, learn=True)
        self._joining.flush()

    def clean_pieces(self, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Clean pieces."""
        for piece in pieces:
            done = piece.part is not None
            yield (
                piece,
                piece.part.outcomes() if done else self._clean(piece, self._sites.answer, learn=False),
            )

    def _learn(self, piece: Piece) -> list[PageError | None]:
        self._joining.flush()
        pages, _ = self._pages(piece)
        cost = sum(Begun(*page, None).cost for page in pages)
        keep = self._keep and cost <= self._room
        alone = PieceStates(self._work.make) if self.saves is not None else None
        outcomes: list[Any] = [None] * len(piece.items)

        def take(begun: Begun) -> Any:  # noqa: ANN401  # what the last step has made
            self._sites.take(*question(begun))
            if alone is not None:
                alone.take(*question(begun))
            return begun.made

        kept = []
        for group in groups(pages, self._together):
            self._steps.ask(group, learn=True, render=keep)
            self._steps.each(group, take)
            for begun in group:
                outcomes[begun.place] = self._error(begun)
            kept += group if keep else []
        if keep:
            self._room -= cost
            self._kept[piece.number] = fingerprint(piece), kept
        if self.saves is not None and alone is not None:
            self.saves.learnt(piece, alone.states(), {})
        return outcomes

    def _clean(self, piece: Piece, answer: Callable[[str, Any], Any], *, learn: bool) -> Iterator[Any]:
        pages, lost = self._pages(piece)
        alone = PieceStates(self._work.make) if learn and self.saves is not None else None
        same, kept = self._kept.pop(piece.number, (None, []))
        again = same == fingerprint(piece)
        done: list[Any] = []

        def answered(begun: Begun) -> Any:  # noqa: ANN401  # see a detector's
            asked = question(begun)
            if alone is not None:
                alone.take(*asked)
            return answer(*asked)

        def outcomes() -> Iterator[Any]:
            at = 0
            for group in _slices(kept) if again else groups(pages, self._together):
                if not again:
                    self._steps.ask(group, learn=learn, render=True)
                self._steps.finish(group, answered)
                while group:
                    begun = group.pop(0)
                    made = self._error(begun) or begun.made
                    yield from (lost.get(place) for place in range(at, begun.place))
                    at = begun.place + 1
                    yield made
            yield from (lost.get(place) for place in range(at, len(piece.items)))

        for outcome in outcomes():
            if self.saves is not None:
                done.append(outcome)
            yield outcome
        if self.saves is not None:
            self.saves.cleaned(piece, done, alone.states() if alone is not None else None)

    @property
    def _together(self) -> int:
        return TOGETHER if self._ahead else 1

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


def _slices(pages: list[Begun]) -> Iterator[list[Begun]]:
    while pages:
        some, pages[:TOGETHER] = pages[:TOGETHER], []
        yield some
