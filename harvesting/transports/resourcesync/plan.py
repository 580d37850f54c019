"""What a run reads: which lists for everything, which for the changes, and up to when it is complete then.

Everything: a Resource Dump where it is less work, else the Resource List. Changes: Change List or Change Dump if
they reach back far enough, else the whole Resource List. A moment in the past: the archived lists of that time.
"""

from collections.abc import Iterable
from datetime import datetime

from harvesting.transports.resourcesync.changes import (
    FEW,
    Plan,
    archive_parts,
    changes_since,
    clock_of_changes,
    clock_of_list,
)
from harvesting.transports.resourcesync.discovery import Discovered, Offer, chosen
from harvesting.transports.resourcesync.documents import moment, read_entries
from harvesting.transports.resourcesync.dumps import package_count
from harvesting.transports.resourcesync.linking import Style, style_of
from harvesting.transports.resourcesync.lists import parts
from harvesting.transports.resourcesync.position import AGAIN, Progress, Task, remembered_failures
from harvesting.transports.resourcesync.requests import Asking
from harvesting.types import HarvestRequest, TransportError


def plan(asking: Asking, found: Discovered, request: HarvestRequest) -> Progress:
    """The tasks of a run, nothing of them done. TransportError "rs.no_list", "rs.unknown_set"."""
    offers = chosen(found.offers, request.set_spec, request.metadata_prefix)
    since, until = _window(request)
    plans = [_plan(asking, offer, request, since, until) for offer in offers]
    clocks = [each for each in (until, *(each.clock for each in plans)) if each]
    whole = all(each.whole for each in plans)
    again = remembered_failures(request.memory) if not whole and not until else {}
    hub = next((offer for offer in offers if offer.hub), None)
    return Progress(
        tasks=((Task(kind=AGAIN),) if again else ()) + tuple(task for each in plans for task in each.tasks),
        clock=min(clocks) if clocks else None,
        since=since,
        until=until,
        style=_style(asking, plans, request),
        again=again,
        exhaustive=whole and not until,
        memory={"hub": hub.hub if hub else "", "topic": hub.topic if hub else ""},
    )


def _window(request: HarvestRequest) -> tuple[datetime | None, datetime | None]:
    """since is None for everything: asked for, never read before, or the last run missed too much."""
    since, position = request.since or moment(request.from_), moment(request.memory.get("position", ""))
    if request.full or request.memory.get("baseline"):
        since = None
    if since and position:
        since = min(since, position)  # the last run may have ended with older lists than it began with
    return since, moment(request.until)


def _plan(
    asking: Asking, offer: Offer, request: HarvestRequest, since: datetime | None, until: datetime | None
) -> Plan:
    if since is None:
        return _baseline(asking, offer, until)
    changes = changes_since(asking, offer, since, until, moment(request.memory.get("position", "")))
    if changes:
        return changes
    if offer.lists.keys() & {"changelist", "changedump"} and offer.lists.keys() & {"resourcelist", "resourcedump"}:
        asking.note("rs.gap", url=offer.spec, since=since.isoformat())
        return _baseline(asking, offer, until)
    return _by_lastmod(asking, offer)


def _baseline(asking: Asking, offer: Offer, until: datetime | None) -> Plan:
    if until:
        past = _archived(asking, offer, until)
        if past:
            return past
    lists, dumps = offer.lists.get("resourcelist", ()), offer.lists.get("resourcedump", ())
    if dumps and (not lists or _dump_is_better(asking, offer)):
        instead = tuple(("resourcelist", url) for url in lists)
        tasks = tuple(
            Task(kind="resourcedump", url=url, whole=True, instead=instead if url == dumps[0] else ()) for url in dumps
        )
        return Plan(tasks=tasks, clock=_earliest(asking, dumps), whole=True)
    if lists:
        tasks = tuple(Task(kind="resourcelist", url=url, whole=True) for url in lists)
        return Plan(tasks=tasks, clock=_earliest(asking, lists), whole=True)
    return _without_lists(asking, offer)


def _without_lists(asking: Asking, offer: Offer) -> Plan:
    """A source that tells changes only: all of them are the best beginning there is."""
    latest = _archived(asking, offer, None)
    if latest:
        return Plan(tasks=latest.tasks, clock=latest.clock, whole=False)
    changes = [(kind, url) for kind in ("changelist", "changedump") for url in offer.lists.get(kind, ())]
    if not changes:
        raise TransportError(f"{offer.spec} offers no list", "rs.no_list", permanent=True, url=offer.spec)
    asking.note("rs.no_baseline", url=offer.spec)
    kind = changes[0][0]
    urls = [url for each, url in changes if each == kind]
    clocks = [clock_of_changes(asking, url) for url in urls]
    return Plan(
        tasks=tuple(Task(kind=kind, url=url) for url in urls),
        clock=min((each for each in clocks if each), default=None),
        whole=False,
    )


def _dump_is_better(asking: Asking, offer: Offer) -> bool:
    """Many resources, in fewer packages than half of them; and as new as the list, unless changes lead on from it."""
    lists, dumps = offer.lists["resourcelist"], offer.lists["resourcedump"]
    if len(lists) > 1 or len(dumps) > 1:
        return False  # one for each index, as WEKO3 has it: its packages hold one item each
    try:
        listed, dumped = asking.document(lists[0]), asking.document(dumps[0])
    except TransportError as error:
        if not error.permanent:
            raise
        return error.facts.get("url") == lists[0]
    count = 1000 if listed.head.is_index else listed.head.count
    if count <= FEW:
        return False
    half = count // 2
    if package_count(asking, dumps[0], half + 1) > half:
        return False
    old, new = moment(dumped.head.attributes.get("at", "")), moment(listed.head.attributes.get("at", ""))
    leads_on = bool(offer.lists.keys() & {"changelist", "changedump"})
    return leads_on or not new or bool(old and old >= new)


def _earliest(asking: Asking, urls: Iterable[str]) -> datetime | None:
    clocks = [clock_of_list(asking, url) for url in urls]
    return min((each for each in clocks if each), default=None)


def _archived(asking: Asking, offer: Offer, until: datetime | None) -> Plan | None:
    """The newest archived dump or list that is not newer than `until`; None if the current one is that already."""
    for kind in ("resourcedump", "resourcelist"):
        urls = offer.lists.get(f"{kind}-archive", ())
        past = [(part.at, part.url) for url in urls for part in archive_parts(asking, url) if part.at]
        fitting = [each for each in past if until is None or each[0] <= until]
        if fitting:
            at, url = max(fitting)
            return Plan(tasks=(Task(kind=kind, url=url, whole=True),), clock=at, whole=True)
    return None


def _by_lastmod(asking: Asking, offer: Offer) -> Plan:
    """Without change lists: the Resource List, and of it what is new by its lastmod. Deletions show in full runs."""
    lists = offer.lists.get("resourcelist", ())
    if not lists:
        return _baseline(asking, offer, None)
    asking.note("rs.by_lastmod", url=offer.spec)
    tasks = tuple(Task(kind="resourcelist", url=url) for url in lists)
    return Plan(tasks=tasks, clock=_earliest(asking, lists), whole=False)


def _style(asking: Asking, plans: Iterable[Plan], request: HarvestRequest) -> Style:
    """As the last run knew it; else as the first list shows it that shows it at all."""
    known = request.memory.get("style", "")
    if known in set(Style):
        remembered = Style(known)
        if remembered is not Style.UNKNOWN and not request.full:
            return remembered
    for task in (task for each in plans for task in each.tasks if task.kind in {"resourcelist", "changelist"}):
        found = _style_of(asking, task.url)
        if found is not Style.UNKNOWN:
            return found
    return Style.UNKNOWN


def _style_of(asking: Asking, url: str) -> Style:
    """As the first list of an index shows it. One that cannot be read is met again when its turn comes."""
    try:
        document = asking.document(parts(asking, asking.document(url))[0].url)
    except (TransportError, IndexError):
        return Style.UNKNOWN
    return style_of(read_entries(document.stream, document.url))
