"""The model of method auto as a file."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.auto.detector import Auto
from detemplate.detectors.auto.model import SHIPPED, AutoModel, model_of
from detemplate.detectors.auto.stages import CONTEXT
from detemplate.detectors.state import StateError, pack
from detemplate.errors import UserError
from detemplate.features.segment import NAMES as SEGMENT_FEATURES
from lab.auto.trees import grown
from tests.support.auto_sites import stump, tiny_model

MOST_BYTES = 2_000_000


def test_bytes_come_back():
    model = tiny_model()
    data = model.to_bytes()
    again = AutoModel.from_bytes(data)
    assert again.to_bytes() == data == tiny_model().to_bytes()
    assert again.about == model.about == {"pages": 3}
    assert again.vocabulary.hashes.tolist() == [3, 1, 2]
    assert again.vocabulary.weights.tolist() == [0.5, -1, 2]
    rng = np.random.default_rng(0)
    for forest, other, names in (
        (model.page, again.page, SEGMENT_FEATURES),
        (model.site, again.site, CONTEXT),
    ):
        table = rng.normal(0, 5, (50, len(names))).astype(np.float32)
        np.testing.assert_array_equal(forest.sums(table), other.sums(table))


def test_the_model_of_the_package():
    assert SHIPPED.stat().st_size <= MOST_BYTES
    model = model_of("")
    assert model.page.trees
    assert model.site.trees
    assert len(model.vocabulary)
    assert np.isfinite(model.vocabulary.weights).all()
    assert AutoModel.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    # It says what it was made from, not where that was.
    assert not any("/" in str(name) for name in model.about["inputs"])


@given(st.data())
def test_damaged_bytes_are_a_value_error_or_a_model(data):
    state = bytearray(tiny_model().to_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        state[data.draw(st.integers(0, len(state) - 1))] = data.draw(st.integers(0, 255))
    try:
        AutoModel.from_bytes(bytes(state)).to_bytes()
    except ValueError:
        return


@pytest.mark.parametrize("content", [None, b"", b"noise", b"detemplate-state\n", "directory"])
def test_what_is_no_model_is_an_error_of_one_line(tmp_path, content):
    path = tmp_path / "my.model"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    for use in (model_of, lambda name: Auto.options({"model": name}, streaming=True)):
        with pytest.raises(UserError) as caught:
            use(str(path))
        message = str(caught.value)
        assert str(path) in message
        assert "python -m lab.auto" in message
        assert "\n" not in message


@pytest.mark.parametrize("header", [{}, {"names": "other"}, {"names": None}, [], 1, "names", None])
def test_models_made_for_other_columns_are_refused(header):
    model = tiny_model()
    arrays = {
        "hashes": model.vocabulary.hashes,
        "weights": model.vocabulary.weights,
        "page": np.frombuffer(model.page.pack(), np.uint8),
        "site": np.frombuffer(model.site.pack(), np.uint8),
    }
    with pytest.raises(StateError):
        AutoModel.from_bytes(pack("auto model", 1, header, arrays))


def test_a_forest_of_other_columns_is_no_model():
    model = tiny_model()
    for page, site in (
        (grown([stump(0, 0, 0, 1)], len(SEGMENT_FEATURES) + 1), model.site),
        (model.page, grown([stump(0, 0, 0, 1)], len(CONTEXT) - 1)),
    ):
        with pytest.raises(ValueError, match="columns where there are"):
            AutoModel(model.vocabulary, page, site, {})
