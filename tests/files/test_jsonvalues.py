import json

from hypothesis import given, strategies as st

from detemplate.files.jsonvalues import to_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
)


@given(JSON)
def test_json_comes_back(value):
    for ascii_only in (False, True):
        line = to_json(value, ascii_only=ascii_only)
        assert "\n" not in line
        assert "\r" not in line
        assert json.loads(line.encode("utf-8").decode("utf-8")) == value
