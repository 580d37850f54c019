"""Plans which lists a run reads, and up to when the run is then complete.

For everything: a Resource Dump if that is less work, else the Resource List. For changes: a Change List or Change Dump
if it reaches back far enough, else the whole Resource List. For a past time: the archived lists of that time.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from harvesting.transports.resourcesync.changes import (
    FEW_CHANGES,
    Plan,
    archive_parts,
    changes_complete_until,
    changes_since,
    list_complete_until,
    outdated_at,
    readable_changes,
)
from harvesting.transports.resourcesync.discovery import Discovered, Offer, choose_offers
from harvesting.transports.resourcesync.documents import parse_datetime, read_entries
from harvesting.transports.resourcesync.dumps import package_count
from harvesting.transports.resourcesync.linking import Style, style_of
from harvesting.transports.resourcesync.lists import parts
from harvesting.transports.resourcesync.position import (
    RETRY_FAILED,
    Progress,
    Task,
    remembered_failures,
    remembered_hashes,
)
from harvesting.transports.resourcesync.requests import SourceClient
from harvesting.types import HarvestRequest, TransportError


def make_plan(client: SourceClient, discovered: Discovered, request: HarvestRequest) -> Progress:
    """Return the tasks of a run that is about to begin. TransportError "rs.no_list", "rs.unknown_set"."""
    offers = choose_offers(discovered.offers, request.set_spec, request.metadata_prefix)
    since, until = _window(request)
    plans = [_plan_offer(client, offer, request, since, until) for offer in offers]
    clocks = [offer_plan for offer_plan in (until, *(offer_plan.clock for offer_plan in plans)) if offer_plan]
    starts = [offer_plan.since for offer_plan in plans if offer_plan.since]
    covers_everything = all(offer_plan.whole for offer_plan in plans)
    again = remembered_failures(request.memory) if not covers_everything and not until else {}
    hub = next((offer for offer in offers if offer.hub), None)
    return Progress(
        tasks=((Task(kind=RETRY_FAILED),) if again else ())
        + tuple(task for offer_plan in plans for task in offer_plan.tasks),
        clock=min(clocks) if clocks else None,
        since=since or min(starts, default=None),
        until=until,
        position=parse_datetime(request.memory.get("position", "")),
        style=_find_style(client, plans, request),
        again=again,
        hashes=remembered_hashes(request.memory) if again else {},
        exhaustive=covers_everything and not until,
        memory={"hub": hub.hub if hub else "", "topic": hub.topic if hub else ""},
    )


def _window(request: HarvestRequest) -> tuple[datetime | None, datetime | None]:
    """Return (since, until) of a request.

    since is None to read everything: on request, for the first time, or if too many resources failed in the last run.
    """
    since, position = request.since or parse_datetime(request.from_), parse_datetime(request.memory.get("position", ""))
    if request.full or request.memory.get("baseline"):
        since = None
    if since and position:
        since = min(since, position)  # `position` is earlier if the last run had to fall back on older lists
    return since, parse_datetime(request.until)


def _plan_offer(
    client: SourceClient, offer: Offer, request: HarvestRequest, since: datetime | None, until: datetime | None
) -> Plan:
    position = parse_datetime(request.memory.get("position", ""))
    if since is None:
        return _current_baseline(client, offer, until, position)
    changes = changes_since(client, offer, since, until, position)
    if changes:
        return changes
    if offer.lists.keys() & {"changelist", "changedump"} and offer.lists.keys() & {"resourcelist", "resourcedump"}:
        return _over_gap(client, offer, since, until, position)
    return _by_lastmod(client, offer)


def _current_baseline(client: SourceClient, offer: Offer, until: datetime | None, position: datetime | None) -> Plan:
    """Plan for everything, with the changes on top if the list is older than the position that the last run reached.

    If no change list covers the time between them, what is not in the old list may still exist.
    """
    plan = _baseline(client, offer, until)
    has_changes = bool(offer.lists.keys() & {"changelist", "changedump"})  # else only lists have moved the position
    at = outdated_at(client, [task.url for task in plan.tasks], None if until else position, inside=has_changes)
    if not at:
        return plan
    tasks = tuple(replace(task, at=at.isoformat()) for task in plan.tasks)
    changes = changes_since(client, offer, at, until, None)
    if changes and changes.clock and position:
        clock = max(changes.clock, position)
        return Plan(tasks=(*tasks, *changes.tasks), clock=clock, whole=plan.whole, since=at)
    client.note("rs.outdated", url=plan.tasks[0].url, at=at.isoformat(), since=position.isoformat() if position else "")
    return Plan(tasks=tasks, clock=position, whole=False)


def _over_gap(
    client: SourceClient, offer: Offer, since: datetime, until: datetime | None, position: datetime | None
) -> Plan:
    """Plan for changes that begin too late: everything, and the changes on top.

    A Resource List older than the position of the last run would say nothing new, so only the changes are read. The
    next run then starts from the same position, until the source has a newer list.
    """
    baseline = _current_baseline(client, offer, until, position)
    is_outdated = any(task.at for task in baseline.tasks)
    client.note("rs.gap", url=offer.spec, since=since.isoformat(), reason="outdated" if is_outdated else "")
    lists = () if is_outdated else baseline.tasks
    changes = readable_changes(client, offer) if not until else ()
    return Plan(tasks=(*lists, *changes), clock=baseline.clock, whole=baseline.whole and not is_outdated)


def _baseline(client: SourceClient, offer: Offer, until: datetime | None) -> Plan:
    if until:
        past = _archived_baseline(client, offer, until)
        if past:
            return past
    lists, dumps = offer.lists.get("resourcelist", ()), offer.lists.get("resourcedump", ())
    if dumps and (not lists or _dump_is_better(client, offer)):
        instead = tuple(("resourcelist", url) for url in lists)
        tasks = tuple(
            Task(kind="resourcedump", url=url, whole=True, instead=instead if url == dumps[0] else ()) for url in dumps
        )
        return Plan(tasks=tasks, clock=_complete_until(client, dumps), whole=True)
    if lists:
        tasks = tuple(Task(kind="resourcelist", url=url, whole=True) for url in lists)
        return Plan(tasks=tasks, clock=_complete_until(client, lists), whole=True)
    return _without_lists(client, offer)


def _without_lists(client: SourceClient, offer: Offer) -> Plan:
    """Plan for a source without a current list of everything: an archived one, else all of its changes."""
    latest = _archived_baseline(client, offer, None)
    if latest:
        return Plan(tasks=latest.tasks, clock=latest.clock, whole=False)
    changes = [(kind, url) for kind in ("changelist", "changedump") for url in offer.lists.get(kind, ())]
    if not changes:
        raise TransportError(f"{offer.spec} offers no list", "rs.no_list", permanent=True, url=offer.spec)
    client.note("rs.no_baseline", url=offer.spec)
    kind = changes[0][0]
    urls = [url for list_kind, url in changes if list_kind == kind]
    times = [changes_complete_until(client, url) for url in urls]
    return Plan(
        tasks=tuple(Task(kind=kind, url=url) for url in urls),
        clock=min((list_kind for list_kind in times if list_kind), default=None),
        whole=False,
    )


def _dump_is_better(client: SourceClient, offer: Offer) -> bool:
    """Whether to read the Resource Dump instead of the Resource List.

    It must hold many resources in at most half as many packages, and be as new as the list, unless there are change
    lists for the time since.
    """
    lists, dumps = offer.lists["resourcelist"], offer.lists["resourcedump"]
    if len(lists) > 1 or len(dumps) > 1:
        return False  # WEKO3 has a list and a dump for each index, and each package holds one item
    try:
        list_document, dump_document = client.document(lists[0]), client.document(dumps[0])
    except TransportError as error:
        if not error.permanent:
            raise
        return error.facts.get("url") == lists[0]
    count = 1000 if list_document.head.is_index else list_document.head.count
    if count <= FEW_CHANGES:
        return False
    half = count // 2
    if package_count(client, dumps[0], half + 1) > half:
        return False
    dump_time, list_time = (
        parse_datetime(dump_document.head.attributes.get("at", "")),
        parse_datetime(list_document.head.attributes.get("at", "")),
    )
    has_changes = bool(offer.lists.keys() & {"changelist", "changedump"})
    return has_changes or not list_time or bool(dump_time and dump_time >= list_time)


def _complete_until(client: SourceClient, urls: Iterable[str]) -> datetime | None:
    times = [list_complete_until(client, url) for url in urls]
    return min((time for time in times if time), default=None)


def _archived_baseline(client: SourceClient, offer: Offer, until: datetime | None) -> Plan | None:
    """Return a plan with the newest archived dump or list not newer than `until`; None if there is none."""
    for kind in ("resourcedump", "resourcelist"):
        urls = offer.lists.get(f"{kind}-archive", ())
        parts_of_archives = [part for url in urls for part in archive_parts(client, url)]
        archived_lists = [(part.at, part.url) for part in parts_of_archives if part.at and client.is_own(part.url)]
        candidates = [archived_list for archived_list in archived_lists if until is None or archived_list[0] <= until]
        if candidates:
            at, url = max(candidates)
            return Plan(tasks=(Task(kind=kind, url=url, whole=True),), clock=at, whole=True)
    return None


def _by_lastmod(client: SourceClient, offer: Offer) -> Plan:
    """Plan for a source without change lists: the entries of the Resource List that are new by their lastmod.

    Deletions are noticed only by full harvests.
    """
    lists = offer.lists.get("resourcelist", ())
    if not lists:
        return _baseline(client, offer, None)
    client.note("rs.by_lastmod", url=offer.spec)
    tasks = tuple(Task(kind="resourcelist", url=url) for url in lists)
    return Plan(tasks=tasks, clock=_complete_until(client, lists), whole=False)


def _find_style(client: SourceClient, plans: Iterable[Plan], request: HarvestRequest) -> Style:
    """Return the style that the last run found, else that of the first list that has one."""
    remembered_value = request.memory.get("style", "")
    if remembered_value in set(Style):
        remembered = Style(remembered_value)
        if remembered is not Style.UNKNOWN and not request.full:
            return remembered
    for task in (
        task for offer_plan in plans for task in offer_plan.tasks if task.kind in {"resourcelist", "changelist"}
    ):
        style = _style_of_list(client, task.url)
        if style is not Style.UNKNOWN:
            return style
    return Style.UNKNOWN


def _style_of_list(client: SourceClient, url: str) -> Style:
    """Return the style of a list, or of the first list of an index.

    UNKNOWN if it cannot be read; the error is raised later, when the list is harvested.
    """
    try:
        document = client.document(parts(client, client.document(url))[0].url)
    except (TransportError, IndexError):
        return Style.UNKNOWN
    return style_of(read_entries(document.stream, document.url))
