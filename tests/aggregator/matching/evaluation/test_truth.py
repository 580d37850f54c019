"""Precision and the hard cases on labelled data, where it is laid beside the repository. A guard, not a goal."""

import json

import pytest

from aggregator.matching import Features, extract_features, match_keys, score
from aggregator.matching.comparison.compare import compare
from aggregator.matching.comparison.decide import CERTAIN
from aggregator.matching.evaluation.files import read_rows, record_of
from aggregator.matching.evaluation.measures import measure, pairs_of, recall_by_tag
from aggregator.matching.groups.partition import candidates, partition
from aggregator.matching.groups.solve import suspect_isbns
from aggregator.matching.groups.works import works
from tests.paths import TRUTH

pytestmark = pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")


def _lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (TRUTH / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def truth() -> dict[str, str]:
    return {row["id"]: row["manifestation"] for row in _lines("truth.jsonl")}


@pytest.fixture(scope="module")
def rows() -> dict[str, Features]:
    lines = (TRUTH / "records.jsonl").read_bytes().splitlines()
    return {row.id: extract_features(record_of(row)) for row in read_rows(lines)}


@pytest.fixture(scope="module")
def groups(rows: dict[str, Features]) -> dict[str, str]:
    """Record -> the first id of its group."""
    return {link.id: group.members[0].id for group in partition(rows) for link in group.members}


def test_what_is_joined_belongs_together(truth: dict[str, str], groups: dict[str, str]) -> None:
    score = measure(groups, truth)
    print(score)
    assert score.precision >= 0.978
    assert score.f1 >= 0.972
    assert score.b3_f1 >= 0.984
    assert score.largest <= 12


@pytest.mark.parametrize(("tag", "share"), [("volume_lost", 0.72), ("series_as_title", 0.83), ("edition_lost", 0.90)])
def test_what_providers_lose_is_found_all_the_same(
    truth: dict[str, str], groups: dict[str, str], tag: str, share: float
) -> None:
    found, every = recall_by_tag(groups, truth, {row["id"]: row["tags"] for row in _lines("truth.jsonl")})[tag]
    assert found >= share * every


def test_pairs_that_nobody_need_look_at_are_right(truth: dict[str, str], rows: dict[str, Features]) -> None:
    suspect = suspect_isbns(rows.values())
    pairs = candidates({each: match_keys(row) for each, row in rows.items()})
    certain = [pair for pair in pairs if score(compare(rows[pair[0]], rows[pair[1]], suspect)) >= CERTAIN]
    right = sum(truth[first] == truth[second] for first, second in certain)
    assert right >= 0.985 * len(certain)
    assert right >= 0.91 * pairs_of(truth.values())


def test_editions_of_a_work_come_together(rows: dict[str, Features]) -> None:
    groups = [[link.id for link in group.members] for group in partition(rows)]
    found = {groups[place][0]: work[0] for work in works(groups, rows) for place in work}
    named = {each: str(found[group[0]]) for group in groups for each in group}
    assert measure(named, {row["id"]: row["work"] for row in _lines("truth.jsonl")}).f1 >= 0.95


@pytest.mark.parametrize(
    ("reason", "share"),
    [
        ("volume", 0.003),
        ("set_vs_volume", 0.02),
        ("edition_reused_isbn", 0.04),
        ("reused_isbn", 0.0),
        ("same_title", 0.01),
    ],
)
def test_hard_cases_stay_apart(groups: dict[str, str], reason: str, share: float) -> None:
    pairs = [(row["a"], row["b"]) for row in _lines("hard_negatives.jsonl") if row["reason"] == reason]
    inside = [(a, b) for a, b in pairs if a in groups and b in groups]
    assert sum(groups[a] == groups[b] for a, b in inside) <= share * len(inside)
