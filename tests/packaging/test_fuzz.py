"""The fuzz targets of the native engine: which there are, and what they begin with."""

import json
import re

import pytest

from tests.packaging.scripts import ROOT, load

fuzz = load("fuzz")

if not fuzz.CRATE.is_dir():
    pytest.skip("an sdist has no fuzz targets", allow_module_level=True)

TARGETS = fuzz.targets()


def test_each_file_of_a_target_is_listed():
    files = {file.stem for file in (fuzz.CRATE / "fuzz_targets").glob("*.rs")}

    assert files == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_target_has_seeds(target):
    seeds = fuzz.seeds(target)

    assert len(seeds) >= 20
    assert max(map(len, seeds.values())) < 100_000
    assert seeds == fuzz.seeds(target)


def test_tokens_are_a_dictionary_of_libfuzzer():
    lines = (fuzz.CRATE / "tokens.dict").read_text(encoding="utf-8").splitlines()
    tokens = [line for line in lines if line and not line.startswith("#")]

    assert len(tokens) == len(set(tokens)) >= 50
    for token in tokens:
        assert re.fullmatch(r'"(\\[\\"]|\\x[0-9a-f]{2}|[^"\\\x00-\x1f])+"', token), token


def test_history_is_the_sum_of_all_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "HISTORY", tmp_path / "history.jsonl")
    assert [*fuzz.sums()] == []

    run = {"target": "parse", "executions": 5, "seconds": 3, "cpu_seconds": 2}
    run |= {"edges": 7, "all_edges": 9, "features": 8, "inputs": 4}
    runs = [run, {**run, "target": "urls"}, {**run, "executions": 1_000, "edges": 6}]
    fuzz.HISTORY.write_text("".join(f"{json.dumps(each)}\n" for each in runs), encoding="utf-8")

    parse, urls = fuzz.sums()
    assert (parse["executions"], parse["cpu_seconds"], parse["edges"]) == (1_005, 4, 6)
    assert urls["executions"] == 5
    assert "1,005 executions" in fuzz.row(parse)


def test_targets_of_oss_fuzz_are_built_from_this_crate():
    script = (ROOT / "packaging" / "oss-fuzz" / "build.sh").read_text(encoding="utf-8")

    assert "--fuzz-dir rust/fuzz" in script
    assert "packaging/fuzz.py --write-seeds" in script
