"""Precision and the hard cases on labelled data, where it is laid beside the repository. A guard, not a goal."""

import json
from pathlib import Path

import pytest

from aggregator.matching import features
from aggregator.matching.files import read_rows, record_of
from aggregator.matching.measures import measure
from aggregator.matching.partition import partition

TRUTH = Path(__file__).resolve().parents[4] / "shared" / "truth"

pytestmark = pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")


def _lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (TRUTH / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def truth() -> dict[str, str]:
    return {row["id"]: row["manifestation"] for row in _lines("truth.jsonl")}


@pytest.fixture(scope="module")
def groups(truth: dict[str, str]) -> dict[str, str]:
    """Record -> the first id of its group."""
    lines = (TRUTH / "records.jsonl").read_bytes().splitlines()
    rows = {row.id: features(record_of(row)) for row in read_rows(lines)}
    return {link.id: group.members[0].id for group in partition(rows) for link in group.members}


def test_what_is_joined_belongs_together(truth: dict[str, str], groups: dict[str, str]) -> None:
    score = measure(groups, truth)
    print(score)
    assert score.precision >= 0.975
    assert score.f1 >= 0.968
    assert score.b3_f1 >= 0.981
    assert score.largest <= 12


@pytest.mark.parametrize(
    ("reason", "share"),
    [("volume", 0.003), ("set_vs_volume", 0.02), ("edition_reused_isbn", 0.04), ("reused_isbn", 0.0)],
)
def test_hard_cases_stay_apart(groups: dict[str, str], reason: str, share: float) -> None:
    pairs = [(row["a"], row["b"]) for row in _lines("hard_negatives.jsonl") if row["reason"] == reason]
    inside = [(a, b) for a, b in pairs if a in groups and b in groups]
    assert sum(groups[a] == groups[b] for a, b in inside) <= share * len(inside)
