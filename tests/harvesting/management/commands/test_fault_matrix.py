"""Our harvester against the scenarios of the sample provider: it recovers from transient faults and reports the others
with the right code.

By default one scenario of each row of the fault catalogue is run; `-m slow` runs the rest. With
RELIABILITY_RESULTS=FOLDER every result is appended to FOLDER/faultmatrix.jsonl.
"""

import json
import os
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import LazySettings

from harvesting.management.commands import faultmatrix
from harvesting.management.commands.faultmatrix import TRIAL_SETTINGS, chosen, table
from harvesting.management.trials import Ending, Trial, as_line, differences, run_trial
from sampleprovider.scenarios import ROWS, Scenario, every_place, scenario_named

RESULTS = os.environ.get("RELIABILITY_RESULTS", "")
SECONDS = ("HARVEST_MIN_PAUSE", "HARVEST_DEADLINE", "HARVEST_RETRY_WAIT")
ALL = tuple(range(12))


def sample() -> set[str]:
    """The names of one scenario per row, without those that break only the first page of a list."""
    by_row = {row: scenario.name for scenario in every_place() for row in scenario.rows if scenario.place != "first"}
    return set(by_row.values())


def parameters() -> list:
    quick = sample()
    slow = pytest.mark.slow
    return [
        pytest.param(scenario, id=scenario.name, marks=[] if scenario.name in quick else slow)
        for scenario in every_place()
    ]


@pytest.fixture
def short_waits(settings: LazySettings) -> None:
    for name in SECONDS:
        setattr(settings, name, float(TRIAL_SETTINGS[name]))


@pytest.mark.django_db
@pytest.mark.usefixtures("short_waits")
@pytest.mark.parametrize("scenario", parameters())
def test_a_scenario_ends_as_expected(scenario: Scenario) -> None:
    trial = run_trial(scenario)
    if RESULTS:
        with Path(RESULTS, "faultmatrix.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(as_line(trial) + "\n")
    assert not trial.differences, trial.got


def test_every_row_of_the_fault_catalogue_has_a_scenario() -> None:
    assert {row for scenario in every_place() for row in scenario.rows} == set(ROWS)
    assert {row for name in sample() for row in scenario_named(name).rows} >= set(ROWS)


def test_scenarios_are_chosen_by_row_or_name() -> None:
    assert {row for scenario in chosen(["H5"]) for row in scenario.rows} == {"H5"}
    assert [scenario.name for scenario in chosen(["cut-gzip,html"])] == ["html", "cut-gzip@first", "cut-gzip@last"]


def differences_of(name: str, **got: object) -> list[str]:
    """The differences that are reported if a scenario ends as usual except for the values given."""
    usual = {"state": "succeeded", "live": ALL, "moved": True}
    return list(differences(scenario_named(name), Ending(**usual | got), ALL))


@pytest.mark.parametrize(
    ("name", "got", "words"),
    [
        ("flaky-500@last", {}, ""),
        ("flaky-500@last", {"live": ALL[:-1]}, "missing [11]"),
        ("flaky-500@last", {"state": "failed", "code": "http.500", "moved": False}, "state is failed"),
        ("flaky-500@last", {"moved": False}, "did not move"),
        ("flaky-500@last", {"ahead": True}, "in the future"),
        ("flaky-500@last", {"requests": 1000}, "1000 requests"),
        ("500-for-ever@first", {"state": "failed", "code": "run.internal", "moved": False}, "code is run.internal"),
        ("html-tags@last", {"live": (*ALL[:10], 11), "about": (10,)}, ""),
        ("html-tags@last", {"live": (*ALL[:10], 11)}, "nothing is said about the damaged record 10"),
        ("html-tags@last", {"about": (10,)}, "was accepted"),
        ("unstable-sort", {"live": ALL[1:]}, "missing without a word"),
        ("unstable-sort", {"live": ALL[1:], "said": ("oai.size",)}, ""),
        ("rss-halved", {"live": (), "state": "paused", "code": "safety.deletions", "moved": False}, "not kept"),
        (
            "xxe-http@first",
            {"state": "failed", "code": "xml.forbidden", "moved": False, "trespassed": True},
            "asked for",
        ),
        ("redated", {"changed": 3}, "3 records were changed"),
    ],
)
def test_a_wrong_ending_is_reported(name: str, got: dict[str, object], words: str) -> None:
    report = "; ".join(differences_of(name, **got))
    assert words in report
    assert bool(words) == bool(report)


def test_the_table_shows_the_expected_and_the_actual_ending() -> None:
    scenario = scenario_named("html")
    trial = Trial(scenario=scenario, got=Ending(state="failed", code="oai.not_oai"), differences=())
    assert "| H10 | `html` | failed oai.not_oai\\|oai.\\|http. | failed oai.not_oai | yes |" in table(
        [json.loads(as_line(trial))]
    )


def test_a_worker_that_dies_fails_only_its_current_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[list[str]] = []

    def dies_at_html(names: list[str], progress: object) -> list[dict[str, object]]:
        shares.append(names)
        return [{"scenario": name, "passed": True} for name in takewhile(lambda name: name != "html", names)]

    monkeypatch.setattr(faultmatrix, "_run_worker", dies_at_html)
    lines = faultmatrix.run_workers(["broken", "html", "cookie"], SimpleNamespace(update=lambda count: None))
    assert [(line["scenario"], line["passed"]) for line in lines] == [
        ("broken", True),
        ("html", False),
        ("cookie", True),
    ]
    assert shares == [["broken", "html", "cookie"], ["cookie"]]
