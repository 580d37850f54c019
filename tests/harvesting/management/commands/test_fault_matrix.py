"""Our harvester against every scenario of the sample provider: transient faults end complete, the rest by name.

By default a fair sample is run: each row of the catalogue once. All of it: `-m slow`.
With RELIABILITY_RESULTS=FOLDER each result is added to FOLDER/faultmatrix.jsonl.
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
from harvesting.management.trials import Got, Trial, as_line, differences, run_trial
from sampleprovider.scenarios import ROWS, Scenario, every_place, scenario_named

RESULTS = os.environ.get("RELIABILITY_RESULTS", "")
SECONDS = ("HARVEST_MIN_PAUSE", "HARVEST_DEADLINE", "HARVEST_RETRY_WAIT")
ALL = tuple(range(12))


def sample() -> set[str]:
    """One scenario of each row, the last of those that strike at the end of a list."""
    found = {row: each.name for each in every_place() for row in each.rows if each.place != "first"}
    return set(found.values())


def parameters() -> list:
    quick = sample()
    slow = pytest.mark.slow
    return [pytest.param(each, id=each.name, marks=[] if each.name in quick else slow) for each in every_place()]


@pytest.fixture
def hurried(settings: LazySettings) -> None:
    for name in SECONDS:
        setattr(settings, name, float(TRIAL_SETTINGS[name]))


@pytest.mark.django_db
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("scenario", parameters())
def test_a_scenario_ends_as_it_must(scenario: Scenario) -> None:
    trial = run_trial(scenario)
    if RESULTS:
        with Path(RESULTS, "faultmatrix.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(as_line(trial) + "\n")
    assert not trial.differences, trial.got


def test_every_row_of_the_catalogue_is_tried() -> None:
    assert {row for each in every_place() for row in each.rows} == set(ROWS)
    assert {row for name in sample() for row in scenario_named(name).rows} >= set(ROWS)


def test_rows_and_names_choose_scenarios() -> None:
    assert {row for each in chosen(["H5"]) for row in each.rows} == {"H5"}
    assert [each.name for each in chosen(["cut-gzip,html"])] == ["html", "cut-gzip@first", "cut-gzip@last"]


def found(name: str, **got: object) -> list[str]:
    usual = {"state": "succeeded", "live": ALL, "moved": True}
    return list(differences(scenario_named(name), Got(**usual | got), ALL))


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
def test_what_is_wrong_is_seen(name: str, got: dict[str, object], words: str) -> None:
    seen = "; ".join(found(name, **got))
    assert words in seen
    assert bool(words) == bool(seen)


def test_the_table_shows_what_was_to_be_and_what_was() -> None:
    scenario = scenario_named("html")
    trial = Trial(scenario=scenario, got=Got(state="failed", code="oai.not_oai"), differences=())
    assert "| H10 | `html` | failed oai.not_oai\\|oai.\\|http. | failed oai.not_oai | yes |" in table(
        [json.loads(as_line(trial))]
    )


def test_a_worker_that_dies_costs_its_scenario_only(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[list[str]] = []

    def dies_at_html(names: list[str], progress: object) -> list[dict[str, object]]:
        shares.append(names)
        return [{"scenario": name, "passed": True} for name in takewhile(lambda name: name != "html", names)]

    monkeypatch.setattr(faultmatrix, "_work", dies_at_html)
    lines = faultmatrix.worked(["broken", "html", "cookie"], SimpleNamespace(update=lambda count: None))
    assert [(line["scenario"], line["passed"]) for line in lines] == [
        ("broken", True),
        ("html", False),
        ("cookie", True),
    ]
    assert shares == [["broken", "html", "cookie"], ["cookie"]]
