"""Which expressions are refused, and why; and that what is refused does blow up."""

import re

import pytest
from hypothesis import given, strategies as st

from detemplate.expressions.mutable import default_mutables
from detemplate.expressions.safety import danger
from tests.support.clock import seconds

EXPONENTIAL = [
    "(a+)+b", "(?:a+)+b", "(a|a)+b", "(?:ab|ab)+c", "(?:[ab]|b)+c", "(a|ab|b)+c", "(x+x+)+y", "(?:[0-9]|[0-9a-f])+z", "([a-z]+)*@", "(a+b?)+c",
    r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(?:\w+\s?)+$", r"(?:\s+|-)*\s+x", "a?" * 25 + "a" * 25, "(?i)(?:a|A)+(?:b|[Aa]b)+c(a+)+d",
]  # fmt: skip
POLYNOMIAL = [
    r"\s*\s*x", "a*a*b", ".*.*x", r"foo.*bar.*baz", "a{1,300}a{1,300}b", r"(.*)(\d+)x",
    r"[a-z]+[0-9a-f]*[a-c]+x", "(?:ab)*(?:ab)*c", "(?:a[bc])+(?:ab)+d", r"(?:^|\s+).*\s+more(?:\s+|$)",
    "a*?a*?b",
]  # fmt: skip
EMPTY_LOOP = ["(?:a*)*b", "(?:a?){30}a{30}", "(?:a|b?)+c", "(?:a*|b)*c"]
EMPTY = ["", "a*", "a?b?", "^$", r"\b", "(?:)", "(?:a|)"]
INVALID = [
    "[",
    "(a",
    "a)",
    "*a",
    "a**",
    "(?P<x>a)(?P<x>b)",
    "a{3,1}",
    "[z-a]",
    "(" * 200_000,
    "(?:" * 5000 + "a" + ")" * 5000,
]
FOREIGN = ["(?=a)b", "(?<!a)b", r"(a)\1", "(?>a)b", "a++b", "(?P<q>a)(?P=q)"]
SAFE = [
    "a", "read more", r"(?:^|\s+)read\s+more(?:\s+|$)", r"[0-9,.]+\s+[0-9]+", "(?:[0-9]+,)*[0-9]+", "(?:a|b)+c",
    "(?:st|nd|rd|th)x", "(?:[A-Z]\\.){2,}", "[A-Z][A-Z_-]*[A-Z][!-/_]*", "foo.*bar", "a+?b", "(?:ab|ac)*d",
    "https?://[^\\s]*", "a{3}", "[a-z]{1,300}", "(?:ab+c)*d", "(?i)read more", r"\bfoo\b", "^foo$", "(?:(?:ab)+c)+d",
    "Copyright [0-9]{4}(?:-[0-9]{4})? by .*", "(?:a?b)+c", "x{1000}", r"\w+\s*=\s*\w+",
]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        *((pattern, "exponentially") for pattern in EXPONENTIAL),
        *((pattern, "two endless repeats") for pattern in POLYNOMIAL),
        *((pattern, "part that can be empty") for pattern in EMPTY_LOOP),
        *((pattern, "empty string") for pattern in EMPTY),
        *((pattern, "invalid") for pattern in INVALID),
        *((pattern, "not every engine") for pattern in FOREIGN),
    ],
    ids=lambda value: value[:30],
)
def test_refused(pattern, words):
    assert words in (danger(pattern) or "safe")


@pytest.mark.parametrize("pattern", [*SAFE, *(mutable.expression for mutable in default_mutables())])
def test_safe(pattern):
    assert danger(pattern) is None


def test_too_large_to_judge():
    assert "too large" in danger("(?:" + "|".join(f"word{n}x" for n in range(400)) + ")+!")


def test_what_only_re2_refuses_is_refused():
    pytest.importorskip("re2")
    assert "RE2" in danger(r"a\Zb")


@pytest.mark.parametrize(
    ("pattern", "character", "few", "many"),
    [
        ("(a+)+b", "a", 14, 20),
        ("(a|aa)+b", "a", 18, 26),
        (r"(?:\w+\s?)+$", "a", 14, 20),
        (r"\s*\s*\s*x", " ", 150, 600),
    ],
)
def test_what_is_refused_blows_up(pattern, character, few, many):
    """Its time grows by 45 times or more, the text by 4 at most."""
    assert danger(pattern) is not None
    short, long = (seconds(lambda n=n: re.match(pattern, character * n + "!", re.ASCII)) for n in (few, many))
    assert long > 10 * short


def test_optional_parts_blow_up_with_their_number():
    short, long = ("a?" * count + "a" * count for count in (12, 18))
    assert danger(long) is not None
    attempts = [
        lambda each=each: re.match(f"{each}b", each.replace("a?", "") + "!") for each in (short, long)
    ]
    assert seconds(attempts[1]) > 10 * seconds(attempts[0])


@given(st.recursive(
    st.sampled_from(["a", "b", "[ab]", "c", "ab"]),
    lambda inner: st.one_of(
        st.builds("(?:{})+".format, inner), st.builds("(?:{})?".format, inner), st.builds("(?:{}|{})".format, inner, inner),
        st.builds("{}{}".format, inner, inner), st.builds("(?:{})*".format, inner),
    ), max_leaves=7,
), st.text("abc", min_size=1, max_size=3))  # fmt: skip
def test_what_is_called_safe_reads_no_text_in_ever_more_ways(pattern, pump):
    """Count the ways in which an automaton with moves for every choice reads a pumped text."""
    if danger(pattern) is not None:
        return
    few, many = (_ways(pattern, pump * count) for count in (8, 32))
    assert many <= max(few, 64) * 2


def _ways(pattern, text):
    """How many ways the parser's tree has to read a beginning of the text."""
    from re import _parser

    def run(nodes, counts):
        for code, argument in nodes:
            counts = step(str(code), argument, counts)
        return counts

    def step(code, argument, counts):
        found = {}

        def add(more):
            for at, ways in more.items():
                found[at] = found.get(at, 0) + ways

        if code in {"LITERAL", "IN"}:
            chars = {chr(argument)} if code == "LITERAL" else {chr(value) for _, value in flat(argument)}
            add({at + 1: ways for at, ways in counts.items() if at < len(text) and text[at] in chars})
        elif code == "SUBPATTERN":
            add(run(argument[-1], counts))
        elif code == "BRANCH":
            for branch in argument[1]:
                add(run(branch, counts))
        elif code == "MAX_REPEAT":
            least, most, body = argument
            for number in range(least + len(text) + 1):
                if number >= least:
                    add(counts)
                if number >= most or not counts:
                    break
                counts = run(body, counts)
        else:
            raise AssertionError(code)
        return found

    def flat(argument):
        for code, value in argument:
            low, high = value if str(code) == "RANGE" else (value, value)
            yield from ((code, each) for each in range(low, high + 1))

    return max(run(_parser.parse(pattern), {0: 1}).values(), default=0)
