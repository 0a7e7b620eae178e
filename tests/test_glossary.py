"""The glossary is in order."""

import re
from pathlib import Path

GLOSSARY = Path(__file__).parents[1] / "docs" / "glossary.md"


def test_terms_are_in_alphabetical_order_and_defined_once():
    terms = re.findall(r"^\*\*(.+?)\*\*: ", GLOSSARY.read_text("utf-8"), re.M)
    assert len(terms) > 40
    assert terms == sorted(set(terms), key=str.lower)
