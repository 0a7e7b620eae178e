"""Ambiguous expressions: those that can make a backtracking engine try the same text in very many ways.

An expression becomes an automaton without empty moves, with one state a character it can read (Glushkov
1961). The number of ways in which it can read a text of length n grows

- exponentially, exactly if a state can read some text along two ways back to itself;
- polynomially, exactly if a state p can read some text back to itself, and on to a state q, and q can read it
  back to itself (Weber and Seidl 1991).

Both are searched for in products of the automaton with itself, so the answer is exact for what the expression
reads. What the automaton does not show (a repeated part that can be empty, long runs of optional parts) is
refused.

The closest library, regexploit, is a heuristic. It has had no release since 2021, and fails on Python 3.11's
parser.
"""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

from detemplate.expressions.charsets import Ranges, overlap, ranges_of, union

_MOST_STATES: Final = 4000

_MOST_LOOP: Final = 100  # maximum number of states of one loop: products have the square of that

_COUNTED: Final = 16
"""A part that is repeated up to so many times is written out; more repeats count as endless."""

_MOST_OPTIONAL: Final = 10
"""Maximum number of optional parts in a row that can read the same: n of them read it in 2ⁿ ways."""

_MOST_STEPS: Final = 1_000_000  # maximum number of steps of the search in :func:`_two_loops`

_ALTERNATIVE: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\|", re.DOTALL)
_EMPTY_LOOP: Final = "repeats a part that can be empty"
"""Reason: a loop whose body can be empty. Each reason is the end of a sentence on "the expression"."""

_EXPONENTIAL: Final = "can read the same text in exponentially many ways"

_POLYNOMIAL: Final = "has two endless repeats that can share the same text between them"

_FOREIGN: Final = "uses what not every engine has (look-around, back-references, atomic groups)"

_COMPLEX: Final = "is too large to judge"


class Refused(Exception):  # noqa: N818
    """The expression is not safe. The message ends a sentence that begins with "the expression"."""


class _Part:
    """A part of an expression: states that begin and end it; whether it can match the empty string."""

    __slots__ = ("empty", "first", "last")

    def __init__(self, first: list[int], last: list[int], *, empty: bool) -> None:
        self.first, self.last, self.empty = first, last, empty


class _Automaton:
    """The automaton of an expression, built from the parser's tree."""

    def __init__(self, *, ignore_case: bool) -> None:
        self.sets: list[Ranges] = []  # the characters that each state reads
        self.moves: list[set[int]] = []  # the states that can follow each state
        self.twice: list[tuple[int, int]] = []  # moves that can be made in two ways
        # First state of each outermost endless repeat, and the one after its last.
        self.loops: list[tuple[int, int]] = []
        self._ignore_case = ignore_case
        self._depth = 0

    def state(self, ranges: Ranges) -> _Part:
        """Add a state that reads one of these characters."""
        if self._ignore_case:
            other = [(ord(chr(c).swapcase()),) * 2 for c in range(65, 123) if chr(c).isalpha()]
            inside = [(c, c) for c, _ in other if any(a <= ord(chr(c).swapcase()) <= b for a, b in ranges)]
            ranges = union([*ranges, *inside])
        self.sets.append(ranges)
        self.moves.append(set())
        if len(self.sets) > _MOST_STATES:
            raise Refused(_COMPLEX)
        number = len(self.sets) - 1
        return _Part([number], [number], empty=False)

    def join(self, before: _Part, after: _Part) -> _Part:
        """Put one part after another."""
        self._connect(before.last, after.first)
        return _Part(
            before.first + after.first if before.empty else before.first,
            after.last + before.last if after.empty else after.last,
            empty=before.empty and after.empty,
        )

    def _connect(self, sources: list[int], targets: list[int]) -> None:
        """Add moves from each source to each target."""
        for source in sources:
            known = self.moves[source]
            for target in targets:
                if target in known:
                    self.twice.append((source, target))
                known.add(target)

    def endless(self, body: Any) -> _Part:  # noqa: ANN401
        """Add a part that repeats once or more."""
        begin = len(self.sets)
        self._depth += 1
        part = self.sequence(body)
        self._depth -= 1
        if part.empty:
            raise Refused(_EMPTY_LOOP)
        self._connect(part.last, part.first)
        if not self._depth:
            self.loops.append((begin, len(self.sets)))
        return part

    def sequence(self, nodes: Any) -> _Part:  # noqa: ANN401
        """Add the nodes of the parser's tree, one after the other."""
        whole = _Part([], [], empty=True)
        optional: list[Ranges] = []
        for code, argument in nodes:
            begin = len(self.sets)
            part = self.node(code, argument)
            whole = self.join(whole, part)
            if code is op.AT or not part.first:
                continue
            if not part.empty:
                optional = []
                continue
            optional.append(union([each for ranges in self.sets[begin:] for each in ranges]))
            if sum(overlap(optional[-1], each) for each in optional) > _MOST_OPTIONAL:
                raise Refused(_EXPONENTIAL)
        return whole

    def node(self, code: Any, argument: Any) -> _Part:  # noqa: ANN401
        """Add one node of the parser's tree."""
        ranges = ranges_of(code, argument)
        if ranges is not None:
            return self.state(ranges)
        if code is op.SUBPATTERN:
            return self.sequence(argument[-1])
        if code is op.AT:
            return _Part([], [], empty=True)
        if code is op.BRANCH:
            parts = [self.sequence(branch) for branch in argument[1]]
            if self._depth and sum(part.empty for part in parts) > 1:
                raise Refused(_EXPONENTIAL)  # the parser makes this of (?:ab|ab)
            return _Part(
                [state for part in parts for state in part.first],
                [state for part in parts for state in part.last],
                empty=any(part.empty for part in parts),
            )
        if code in {op.MAX_REPEAT, op.MIN_REPEAT}:
            return self.repeat(*argument)
        raise Refused(_FOREIGN)

    def repeat(self, least: int, most: int, body: Any) -> _Part:  # noqa: ANN401
        """Add a part that repeats between ``least`` and ``most`` times."""
        if most > 1 and body.getwidth()[0] == 0 and body.getwidth()[1] > 0:
            raise Refused(_EMPTY_LOOP)
        whole = _Part([], [], empty=True)
        for _ in range(min(least, _COUNTED) - (least > 0)):
            whole = self.join(whole, self.sequence(body))
        if most > max(_COUNTED, least):
            part = self.endless(body)
            return self.join(whole, part if least else _Part(part.first, part.last, empty=True))
        if least:
            whole = self.join(whole, self.sequence(body))
        tail = _Part([], [], empty=True)
        for _ in range(min(most, _COUNTED) - min(least, _COUNTED)):
            # From the inside out: (x(x(x)?)?)?
            inner = self.join(self.sequence(body), tail)
            tail = _Part(inner.first, inner.last, empty=True)
        return self.join(whole, tail)


def check_ambiguity(expression: str) -> None:
    """Refuse an expression that can make a backtracking engine spend exponential or polynomial time.

    ``expression``: the regular expression; read with ``re.ASCII``.
    Raises Refused: the expression is not safe.
    Raises re.error: the expression is invalid.
    """
    # The parser turns a|b into [ab], which hides that other engines try a|a twice. An empty group with flags,
    # put before each |, prevents that.
    tree = parser.parse(
        _ALTERNATIVE.sub(lambda at: "(?-i:)|" if at[0] == "|" else at[0], expression), re.ASCII
    )
    ignore_case = "(?i" in expression or bool(tree.state.flags & re.IGNORECASE)
    automaton = _Automaton(ignore_case=ignore_case)
    automaton.sequence(tree)
    _judge(automaton)


def _judge(automaton: _Automaton) -> None:
    """Refuse an ambiguous automaton."""
    moves, sets = automaton.moves, automaton.sets
    loop_of = {state: number for number, loop in enumerate(automaton.loops) for state in range(*loop)}
    if any(
        source in loop_of and loop_of[source] == loop_of.get(target) for source, target in automaton.twice
    ):
        raise Refused(_EXPONENTIAL)
    if any(stop - start > _MOST_LOOP for start, stop in automaton.loops):
        raise Refused(_COMPLEX)
    overlaps: dict[tuple[int, int], bool] = {}

    def meet(one: int, other: int) -> bool:
        key = (one, other)
        if key not in overlaps:
            overlaps[key] = overlap(sets[one], sets[other])
        return overlaps[key]

    for start, stop in automaton.loops:
        inside = {state: [n for n in moves[state] if start <= n < stop] for state in range(start, stop)}
        _one_loop(inside, meet)
        alphabet = union([each for state in range(start, stop) for each in sets[state]])
        # The states behind the loop that can be reached with the loop's characters; usually none.
        beyond: set[int] = set()
        stack = [n for state in inside for n in moves[state] if not start <= n < stop]
        while stack:
            state = stack.pop()
            if state not in beyond and overlap(sets[state], alphabet):
                beyond.add(state)
                stack += moves[state]
        for number in {loop_of[state] for state in beyond if state in loop_of}:
            low, high = automaton.loops[number]
            after = {state: [n for n in moves[state] if low <= n < high] for state in range(low, high)}
            _two_loops(inside, after, moves, beyond, sets)


def _one_loop(inside: dict[int, list[int]], meet: Any) -> None:  # noqa: ANN401
    """Search a loop for a text that leads from a state back to it along two ways."""
    ahead = {
        (one, other): [(a, b) for a in inside[one] for b in inside[other] if meet(a, b)]
        for one in inside
        for other in inside
    }
    # All states of a loop reach each other, so one of them represents all.
    state = next(iter(inside))
    reached = _reach((state, state), ahead)
    back: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for pair, after in ahead.items():
        for each in after:
            back.setdefault(each, []).append(pair)
    if any(one != other for one, other in reached & _reach((state, state), back)):
        raise Refused(_EXPONENTIAL)


def _reach(
    start: tuple[int, int], ahead: dict[tuple[int, int], list[tuple[int, int]]]
) -> set[tuple[int, int]]:
    """Find the pairs that can be reached from a pair."""
    seen = {start}
    stack = [start]
    while stack:
        for pair in ahead.get(stack.pop(), ()):
            if pair not in seen:
                seen.add(pair)
                stack.append(pair)
    return seen


def _two_loops(
    first: dict[int, list[int]],
    second: dict[int, list[int]],
    moves: list[set[int]],
    beyond: set[int],
    sets: list[Ranges],
) -> None:
    """Search two loops for a text that leads from p to p, from p to q, and from q to q."""
    allowed = beyond | first.keys()
    steps = 0
    for p in first:
        for q in second:
            seen = {(p, p, q)}
            stack = [(p, p, q)]
            while stack:
                one, way, other = stack.pop()
                for a in first[one]:
                    for c in second[other]:
                        both = _common(sets[a], sets[c])
                        for b in moves[way] & allowed if both else ():
                            steps += 1
                            if (a, b, c) not in seen and overlap(both, sets[b]):
                                seen.add((a, b, c))
                                stack.append((a, b, c))
                if steps > _MOST_STEPS:
                    raise Refused(_COMPLEX)
            if (p, q, q) in seen:
                raise Refused(_POLYNOMIAL)


def _common(one: Ranges, other: Ranges) -> Ranges:
    """Return the characters that two sets have in common."""
    return tuple((max(a, c), min(b, d)) for a, b in one for c, d in other if a <= d and c <= b)
