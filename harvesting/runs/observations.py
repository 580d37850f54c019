"""What a run found out about its provider: notices, counted by code, and pages that could not be read."""

from collections.abc import Iterable, Mapping
from typing import Any

from harvesting import types
from harvesting.models import BrokenPage, Harvest
from harvesting.records.compression import pack_payload
from harvesting.records.sanitising import storable

CHECKED, NOT_CHECKED = "run.schemas", "run.no_schemas"  # against official schemas
KEPT_PAGES = 20  # of a feed, the newest
LARGEST_PAGE = 8 * 1024 * 1024  # bytes of a broken page that are kept
LONGEST_FACT = 500  # characters

type Notices = dict[str, dict[str, Any]]  # code -> {"count", "facts" (of the first), "incomplete"}


def merged(observations: Mapping[str, Mapping[str, Any]], found: Iterable[types.Observation]) -> Notices:
    """The notices of a run with those of one more batch."""
    result: Notices = {code: dict(each) for code, each in observations.items()}
    for observation in found:
        entry = result.setdefault(observation.code, {"count": 0, "facts": _facts(observation), "incomplete": False})
        entry["count"] += 1
        entry["incomplete"] = entry["incomplete"] or observation.incomplete
    return result


def with_count(observations: Mapping[str, Mapping[str, Any]], code: str, count: int, **facts: str | int) -> Notices:
    """The notices of a run with so many more of one code."""
    result: Notices = {name: dict(each) for name, each in observations.items()}
    if count:
        entry = result.setdefault(code, {"count": 0, "facts": facts, "incomplete": False})
        entry["count"] += count
    return result


def without(observations: Mapping[str, Mapping[str, Any]], counts: Mapping[str, int]) -> Notices:
    """The notices of a run less those counts, which will be found again."""
    return {
        code: {**each, "count": each["count"] - counts.get(code, 0)}
        for code, each in observations.items()
        if each["count"] > counts.get(code, 0)
    }


def is_complete(observations: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether none of the findings means that something of the list may be missing."""
    return not any(each["incomplete"] for each in observations.values())


def checked(observations: Mapping[str, Mapping[str, Any]]) -> Notices:
    """The notices of a run whose records are checked against official schemas: that is noted once."""
    return {**{code: dict(each) for code, each in observations.items()}, CHECKED: _fact()}


def facts_of(run: Harvest) -> Notices:
    """The notices of a run for its report; also that its records were not checked against schemas, if they were not."""
    observations: Notices = run.observations
    if CHECKED in observations or not run.received:
        return observations
    return {**observations, NOT_CHECKED: _fact()}


def keep_broken(run: Harvest, pages: Iterable[types.BrokenPage]) -> None:
    """Store pages that could not be read, and let go of the oldest of the feed."""
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


def _fact() -> dict[str, Any]:
    return {"count": 1, "facts": {}, "incomplete": False}


def _facts(observation: types.Observation) -> dict[str, str | int]:
    return {
        name: storable(value)[:LONGEST_FACT] if isinstance(value, str) else value
        for name, value in observation.facts.items()
    }
