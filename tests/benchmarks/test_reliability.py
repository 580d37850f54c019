"""The report of reliability: verdicts of the goals that other programs measure, and runs that were interrupted."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import reliability
from benchmarks.reliability_goals import TESTS, table
from benchmarks.reliability_report import SITTINGS, written
from tests.paths import ROOT

MILLION = {"books": 1_000_000}
FAST = [
    {"test": "search", "rate": 120, "p95_ms": 150, **MILLION},
    {"test": "books", "rate": 700, "p95_ms": 50, **MILLION},
    {"test": "oai", "rate": 110, **MILLION},
]
OVERLOAD = {
    "test": "overload",
    "connections": 200,
    "p95_ms": 250,
    "failed": 0,
    "refusal_p95_ms": 20,
    "without_wait": 0,
    "recovered_s": 2.0,
    **MILLION,
}
FLOOD = {"test": "flood", "addresses": 10_000, "seconds": 60, "served": 99.5, "searches_served": 99.1, **MILLION}
SLOW = {"test": "slow", "clients": 500, "heads": 30, "bodies": 40, "readers": 90, **MILLION}
LEG = {"kills": 1000, "during_run": 900, "database": "sqlite", "victims": {"worker": 1000}, "violations": []}
OUTAGE = {
    "restarts": 6,
    "answers": {"/ 200": 90, "/ 503": 9},
    "faults": {},
    "records": 300,
    "unmatched": 0,
    "unindexed": 0,
    "dead": [],
}
THIRTY = {"providers": 30, "slow": 2, "longest": 5.0, "quick": 560, "expected": 560, "waiting": 0, "dead": []}


def verdict(number: str, name: str, rows: list[dict]) -> str:
    found = table(lambda asked: [row for row in rows if row.get("test", name) == asked], lambda _asked: set())
    return {row[0]: row[3] for row in found}[number]


@pytest.mark.parametrize(
    ("number", "name", "rows", "expected"),
    [
        ("G16", "load", FAST, "yes"),
        ("G16", "load", FAST[:2], "NO"),
        ("G16", "load", [*FAST, {**FAST[0], "rate": 90}], "NO"),
        ("G16", "load", [*FAST[:2], {**FAST[2], "books": 20_000}], "NO"),
        ("G16", "load", [*FAST[:2], {**FAST[2], "rate": 55, "records": 200}], "yes"),
        ("G16", "load", [*FAST[:2], {**FAST[2], "rate": 110, "records": 50}], "NO"),
        ("G17", "load", [OVERLOAD], "yes"),
        ("G17", "load", [{**OVERLOAD, "failed": 1}], "NO"),
        ("G18", "load", [FLOOD], "yes"),
        ("G18", "load", [{**FLOOD, "searches_served": 98.0}], "NO"),
        ("G18", "load", [{**FLOOD, "addresses": 100}], "NO"),
        ("G19", "load", [SLOW], "yes"),
        ("G19", "load", [{**SLOW, "readers": float("inf")}], "NO"),
        ("G22", "tests", [{"goal": "G22", "database": "sqlite", "passed": True}], "yes"),
        ("G23", "tests", [{"goal": "G23", "database": "sqlite", "passed": False}], "NO"),
        ("G25", "layout", [LEG], "yes"),
        ("G25", "layout", [{**LEG, "during_run": 400}], "NO"),
        ("G25", "layout", [LEG, {**LEG, "violations": ["records: 1 lost"]}], "NO"),
        ("G25", "layout", [], "–"),
        ("G26", "outage", [OUTAGE], "yes"),
        ("G26", "outage", [{**OUTAGE, "faults": {"/: 500": 1}}], "NO"),
        ("G26", "outage", [{**OUTAGE, "unindexed": 1}], "NO"),
        ("G27", "thirty", [THIRTY], "yes"),
        ("G27", "thirty", [{**THIRTY, "longest": 61.0}], "NO"),
    ],
)
def test_a_goal_is_judged_by_its_figures(number, name, rows, expected):
    assert verdict(number, name, rows) == expected


def test_the_tests_that_are_counted_exist():
    assert [file for files in TESTS.values() for file in files if not (ROOT / file).exists()] == []


def test_a_suite_that_has_passed_is_not_run_again(tmp_path, monkeypatch):
    works, fails = [sys.executable, "-c", "print(1)"], [sys.executable, "-c", "raise SystemExit(1)"]
    monkeypatch.setattr(reliability, "suites", lambda _options: {"right": works, "wrong": fails})
    monkeypatch.setattr(reliability, "REPORT", tmp_path / "report.md")
    begun: list[str] = []
    run = reliability.run
    monkeypatch.setattr(reliability, "run", lambda name, *rest: begun.append(name) or run(name, *rest))
    for more in ([], [], ["--only", "right"]):
        monkeypatch.setattr(sys, "argv", ["reliability", "--results", str(tmp_path / "results"), *more])
        reliability.main()
    assert begun == ["right", "wrong", "wrong", "right"]


def test_kills_of_a_whole_site_are_reported(tmp_path: Path):
    (tmp_path / "layout").mkdir()
    (tmp_path / "layout" / "layout.jsonl").write_text(json.dumps(LEG) + "\n", encoding="utf-8")
    text = written(tmp_path)
    assert "| worker | 1000 |" in text
    assert "1000 kills (sqlite), 900 of them during a harvest, 0 violations | yes |" in text


def test_every_figure_names_the_days_and_commits_of_its_own_suites(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(reliability, "commit", lambda: "0123abcd+")
    line = json.dumps({"books": 20_000, **SLOW})
    program = f"import os; open(os.environ['RELIABILITY_RESULTS'] + '/slow.jsonl', 'w').write({line!r})"
    assert reliability.run("load.slow", [sys.executable, "-c", program], tmp_path / "load.slow")
    (tmp_path / "layout").mkdir()
    (tmp_path / "layout" / "layout.jsonl").write_text(json.dumps(LEG) + "\n", encoding="utf-8")
    (tmp_path / "layout" / SITTINGS).write_text("2026-01-02 b\n2026-01-01 a\n2026-01-02 b\n", encoding="utf-8")
    rows = [line.split("|") for line in written(tmp_path).splitlines() if line.startswith("| G")]
    measured = {row[1].strip(): row[5].strip() for row in rows}
    assert measured["G25"] == "2026-01-01 a; 2026-01-02 b"
    assert measured["G19"].endswith(" 0123abcd+")
    assert measured["G1"] == ""


def test_what_is_not_measured_again_stays_in_the_report(tmp_path: Path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, kills in ((old, 1000), (new, 1500)):
        (folder / "layout").mkdir(parents=True)
        (folder / "layout" / "layout.jsonl").write_text(json.dumps({**LEG, "kills": kills}) + "\n", encoding="utf-8")
        (folder / "layout" / SITTINGS).write_text(f"2026-01-02 {folder.name}\n", encoding="utf-8")
    (old / "power").mkdir()
    image = {"violations": [], "places": {"state": 1}}
    (old / "power" / "power.jsonl").write_text(json.dumps(image) + "\n", encoding="utf-8")
    (old / "power" / SITTINGS).write_text("2026-01-01 old\n", encoding="utf-8")
    text = written(new, written(old))
    assert "1500 kills (sqlite)" in text
    assert "1000 kills (sqlite)" not in text
    assert "| 1 images, 0 stops of PostgreSQL, 0 violations | NO | 2026-01-01 old |" in text
    assert "1 images of SQLite's write-ahead log" in text
    assert written(new, text) == text


def test_trials_with_power_cuts_alone_leave_the_schedules_in_the_report(tmp_path: Path):
    (tmp_path / "power").mkdir()
    mutant = {"database": "sqlite, power", "mutant": "no fence", "after": 2}
    (tmp_path / "power" / "mutants.jsonl").write_text(json.dumps(mutant) + "\n")
    earlier = "## Two workers and frozen workers\n\n400 schedules, 0 violations.\n"
    assert "\n400 schedules, 0 violations.\n" in written(tmp_path, earlier)
