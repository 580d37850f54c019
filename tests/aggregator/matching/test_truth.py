"""Precision and the hard cases on labelled data, where it is laid beside the repository. A guard, not a goal."""

import json
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from aggregator.matching import Features, features, match_keys, solve
from metadata.crosswalks.dates import read_date
from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Title

TRUTH = Path(__file__).resolve().parents[4] / "shared" / "truth"
_TYPES = {"book": "Book", "serial": "Journal", "ebook": "ElectronicResource"}
SAMPLE = 800  # works, so that every group of them is whole

pytestmark = pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")


def _lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (TRUTH / name).read_text(encoding="utf-8").splitlines()]


def _record(raw: dict) -> BibliographicRecord:
    schemes = (("ISBN", raw["isbn"]), ("SetISBN", raw["set_isbn"]), ("ISSN", raw["issn"]), ("JPNO", [raw["jpno"]]))
    numbers = [
        Identifier(scheme=scheme, value=value)
        for scheme, texts in schemes
        for text in texts
        if text and (value := normalise(scheme, text))
    ]
    readings = [*raw["creators_yomi"], *[""] * len(raw["creators"])]
    return BibliographicRecord(
        titles=(Title(value=raw["title"], transcription=raw["title_yomi"]),),
        volumes=tuple(Title(value=each) for each in [raw["volume"]] if each),
        volume_titles=tuple(Title(value=each) for each in [raw["volume_title"]] if each),
        series=tuple(Title(value=each) for each in [raw["series"]] if each),
        editions=tuple(each for each in [raw["edition"]] if each),
        creators=tuple(
            Agent(name=name, transcription=yomi) for name, yomi in zip(raw["creators"], readings, strict=False)
        ),
        responsibility=tuple(each for each in [raw["responsibility"]] if each),
        publishers=tuple(Agent(name=each) for each in raw["publisher"]),
        issued=read_date(raw["issued"]),
        identifiers=tuple(numbers),
        extents=tuple(each for each in [raw["extent"]] if each),
        material_types=(MaterialType(uri=f"http://ndl.go.jp/ndltype/{_TYPES[raw['type']]}"),),
    )


@pytest.fixture(scope="module")
def truth() -> dict[str, str]:
    rows = _lines("truth.jsonl")
    works = set(sorted({row["work"] for row in rows})[:SAMPLE])
    return {row["id"]: row["manifestation"] for row in rows if row["work"] in works}


@pytest.fixture(scope="module")
def groups(truth: dict[str, str]) -> dict[str, str]:
    """Record -> the first id of its group."""
    rows = {raw["id"]: features(_record(raw)) for raw in _lines("records.jsonl") if raw["id"] in truth}
    solved = [group.members for part in _components(rows) for group in solve(part)]
    return {link.id: members[0].id for members in solved for link in members}


def _components(rows: dict[str, Features]) -> list[dict[str, Features]]:
    component = {each: {each} for each in rows}
    holders: dict[int, str] = {}
    for each, row in rows.items():
        for key in match_keys(row):
            other = component[holders.setdefault(key, each)]
            if component[each] is not other:
                other |= component[each]
                component.update(dict.fromkeys(component[each], other))
    return [{each: rows[each] for each in part} for part in {id(part): part for part in component.values()}.values()]


def _pairs(groups: dict[str, str]) -> set[tuple[str, str]]:
    members = defaultdict(list)
    for each, group in groups.items():
        members[group].append(each)
    return {pair for part in members.values() for pair in combinations(sorted(part), 2)}


def test_what_is_joined_belongs_together(truth: dict[str, str], groups: dict[str, str]) -> None:
    found, right = _pairs(groups), _pairs(truth)
    precision, recall = len(found & right) / len(found), len(found & right) / len(right)
    print(f"precision {precision:.3f}, recall {recall:.3f}, {len(truth)} records")
    assert precision >= 0.96
    assert recall >= 0.83


@pytest.mark.parametrize(
    ("reason", "share"), [("volume", 0.005), ("set_vs_volume", 0.02), ("reused_isbn", 0.0), ("same_title", 0.01)]
)
def test_hard_cases_stay_apart(groups: dict[str, str], reason: str, share: float) -> None:
    pairs = [(row["a"], row["b"]) for row in _lines("hard_negatives.jsonl") if row["reason"] == reason]
    inside = [(a, b) for a, b in pairs if a in groups and b in groups]
    assert sum(groups[a] == groups[b] for a, b in inside) <= share * len(inside)
