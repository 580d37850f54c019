"""What a run observed about its provider: observations counted by code, and pages that could not be read."""

from collections.abc import Iterable, Mapping
from typing import Any

from harvesting import types
from harvesting.models import BrokenPage, Harvest
from harvesting.records.compression import pack_payload
from harvesting.records.sanitising import storable

CHECKED, NOT_CHECKED = "run.schemas", "run.no_schemas"  # whether the records were checked against official schemas
# Not an observation, but an entry for the last release, which does not know harvesting.records.seen: if it goes on with
# such a run while machines are upgraded one by one, it concludes nothing from absence. Never shown.
UNMARKED = "unmarked"
KEPT_PAGES = 20  # the newest broken pages of a feed are kept, up to this number
LARGEST_PAGE = 8 * 1024 * 1024  # bytes of a broken page that are stored
LONGEST_FACT = 500  # characters

# Code -> {"count", "facts" (of the first observation), "incomplete"}, as in the column Harvest.observations.
type ObservationCounts = dict[str, dict[str, Any]]


def merged(observations: Mapping[str, Mapping[str, Any]], new: Iterable[types.Observation]) -> ObservationCounts:
    """The observations of a run with those of one more batch."""
    result: ObservationCounts = {code: dict(entry) for code, entry in observations.items()}
    for observation in new:
        entry = result.setdefault(
            observation.code, {"count": 0, "facts": storable_facts(observation.facts), "incomplete": False}
        )
        entry["count"] += 1
        entry["incomplete"] = entry["incomplete"] or observation.incomplete
    return result


def with_count(
    observations: Mapping[str, Mapping[str, Any]], code: str, count: int, **facts: str | int
) -> ObservationCounts:
    """The observations of a run with `count` more of one code."""
    result: ObservationCounts = {name: dict(entry) for name, entry in observations.items()}
    if count:
        entry = result.setdefault(code, {"count": 0, "facts": facts, "incomplete": False})
        entry["count"] += count
    return result


def without(observations: Mapping[str, Mapping[str, Any]], counts: Mapping[str, int]) -> ObservationCounts:
    """The observations of a run minus these counts by code; a code whose count drops to zero is left out."""
    return {
        code: {**entry, "count": entry["count"] - counts.get(code, 0)}
        for code, entry in observations.items()
        if entry["count"] > counts.get(code, 0)
    }


def is_complete(observations: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether none of the observations means that the list may lack records."""
    return not any(entry.get("incomplete") for entry in reported(observations).values())


def reported(observations: Mapping[str, Mapping[str, Any]]) -> ObservationCounts:
    """The observations of a run that people are told."""
    return {code: dict(entry) for code, entry in observations.items() if code != UNMARKED}


def with_unmarked(observations: Mapping[str, Mapping[str, Any]]) -> ObservationCounts:
    """The observations of a run with the entry UNMARKED."""
    return {**{code: dict(entry) for code, entry in observations.items()}, UNMARKED: _single_entry(incomplete=True)}


def with_schema_check(observations: Mapping[str, Mapping[str, Any]]) -> ObservationCounts:
    """The observations of a run, and among them, counted once, that its records were checked against schemas."""
    return {**{code: dict(entry) for code, entry in observations.items()}, CHECKED: _single_entry()}


def observations_for_report(run: Harvest) -> ObservationCounts:
    """The observations of a run for its report, including that its records were not checked against schemas."""
    observations = reported(run.observations)
    if CHECKED in observations or not run.received:
        return observations
    return {**observations, NOT_CHECKED: _single_entry()}


def store_broken_pages(run: Harvest, pages: Iterable[types.BrokenPage]) -> None:
    """Store pages that could not be read, and delete the oldest ones of the feed beyond KEPT_PAGES."""
    rows = [
        BrokenPage(
            harvest=run,
            url=storable(page.url)[:2000],
            code=page.code[:60],
            reason=storable(page.reason)[:1000],
            body=pack_payload(page.body[:LARGEST_PAGE]),
        )
        for page in pages
    ]
    if not rows:
        return
    BrokenPage.objects.bulk_create(rows[-KEPT_PAGES:])
    stored = BrokenPage.objects.filter(harvest__feed=run.feed_id).order_by("-pk")
    BrokenPage.objects.filter(pk__in=list(stored.values_list("pk", flat=True)[KEPT_PAGES:])).delete()


def _single_entry(*, incomplete: bool = False) -> dict[str, Any]:
    return {"count": 1, "facts": {}, "incomplete": incomplete}


def storable_facts(facts: Mapping[str, str | int]) -> dict[str, str | int]:
    """Facts as a column stores them: without what a database refuses, and not longer than LONGEST_FACT."""
    return {name: storable(value)[:LONGEST_FACT] if isinstance(value, str) else value for name, value in facts.items()}
