"""The fuzzer of sources reads inputs of every kind, and tells which one breaks a rule."""

import random

import pytest

from benchmarks import fuzz_sources
from benchmarks.support.fuzzinputs import KINDS, sound_inputs
from detemplate.io.record import Record


@pytest.mark.parametrize("kind", KINDS)
def test_sound_inputs_are_read_and_written(tmp_path, kind):
    name, said = KINDS[kind]
    for data, pack in sound_inputs(kind, random.Random(1)):
        (tmp_path / name).write_bytes(pack(data))
        items = fuzz_sources.read(tmp_path / name, said)
        assert items is not None
        assert any(isinstance(item, Record) for item in items)
    fuzz_sources.written([tmp_path / name], said, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_inputs(tmp_path, kind):
    opened, records, skips = fuzz_sources.fuzz(kind, 60, 7, tmp_path)
    assert 0 < opened <= 60
    assert records > 0
    assert skips > 0


def test_a_broken_rule_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_sources, "open_sources", lambda *_, **__: iter([1, 2]))
    with pytest.raises(AssertionError, match=r"something else than records.*x\.csv"):
        fuzz_sources.fuzz("csv", 1, 1, tmp_path)


def test_the_command(capsys):
    assert fuzz_sources.main(["--kinds", "html,tar", "--rounds", "5"]) == 0
    assert capsys.readouterr().out.count("5 inputs") == 2
