"""Precision and hard cases on labelled data, if it is beside the repository. Guards against regressions."""

import json

import pytest

from aggregator.matching import Features, extract_features, match_keys, score
from aggregator.matching.comparison.compare import compare
from aggregator.matching.comparison.decide import CERTAIN
from aggregator.matching.evaluation.files import read_rows, record_of
from aggregator.matching.evaluation.measures import measure, pairs_of, recall_by_tag
from aggregator.matching.groups.candidates import candidate_pairs
from aggregator.matching.groups.cores import fullness
from aggregator.matching.groups.partition import partition
from aggregator.matching.groups.suspects import suspect_isbns
from aggregator.matching.groups.works import find_works
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
    return {name: group[0] for group in partition(rows).records() for name in group}


def test_joined_records_belong_together(truth: dict[str, str], groups: dict[str, str]) -> None:
    score = measure(groups, truth)
    print(score)
    assert score.precision >= 0.978
    assert score.f1 >= 0.972
    assert score.b3_f1 >= 0.984
    assert score.largest <= 12


@pytest.mark.parametrize(("tag", "share"), [("volume_lost", 0.72), ("series_as_title", 0.83), ("edition_lost", 0.90)])
def test_records_with_lost_data_are_still_matched(
    truth: dict[str, str], groups: dict[str, str], tag: str, share: float
) -> None:
    found, total = recall_by_tag(groups, truth, {row["id"]: row["tags"] for row in _lines("truth.jsonl")})[tag]
    assert found >= share * total


def test_certain_pairs_are_correct(truth: dict[str, str], rows: dict[str, Features]) -> None:
    names = list(rows)
    suspect = suspect_isbns(rows.values())
    keys = {place: match_keys(rows[name]) for place, name in enumerate(names)}
    places = candidate_pairs(keys, {place: fullness(rows[name]) for place, name in enumerate(names)})
    pairs = [(names[first], names[second]) for first, second in places]
    certain = [pair for pair in pairs if score(compare(rows[pair[0]], rows[pair[1]], suspect)) >= CERTAIN]
    correct = sum(truth[first] == truth[second] for first, second in certain)
    assert correct >= 0.985 * len(certain)
    assert correct >= 0.91 * pairs_of(truth.values())


def test_editions_of_a_work_are_found(rows: dict[str, Features]) -> None:
    groups = partition(rows).records()
    work_of_group = {groups[position][0]: work[0] for work in find_works(groups, rows) for position in work}
    work_of_record = {name: str(work_of_group[group[0]]) for group in groups for name in group}
    assert measure(work_of_record, {row["id"]: row["work"] for row in _lines("truth.jsonl")}).f1 >= 0.95


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


CROWDS = [("copy300", 0.99, 0.98), ("copy3000", 0.99, 0.98), ("own300", 0.99, 0.90), ("own1000", 0.99, 0.88)]


@pytest.mark.skipif(not (TRUTH / "crowds").is_dir(), reason="no folder ../shared/truth/crowds beside the repository")
@pytest.mark.parametrize(("name", "precision", "recall"), CROWDS)
def test_a_book_that_very_many_libraries_hold_is_one_book(name: str, precision: float, recall: float) -> None:
    folder = TRUTH / "crowds" / name
    rows = {row.id: extract_features(record_of(row)) for row in read_rows((folder / "records.jsonl").open("rb"))}
    truth = {
        row["id"]: row["manifestation"] for row in map(json.loads, (folder / "truth.jsonl").open(encoding="utf-8"))
    }
    score = measure({name: group[0] for group in partition(rows).records() for name in group}, truth)
    assert (score.precision >= precision, score.recall >= recall) == (True, True), score
