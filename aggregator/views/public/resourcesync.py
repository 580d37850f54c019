"""ResourceSync over HTTP: documents, resources, packages. Their content comes from `provision.resourcesync`."""

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from urllib.parse import quote

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import condition, require_POST, require_safe

from aggregator.middleware.rate_budget import spend_budget
from aggregator.models import ChangeList, ResourcePackage
from aggregator.provision import listing as record_listing
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.resourcesync import documents, hub, listing, naming, packages, snapshots
from aggregator.provision.resourcesync.described_pages import pages
from aggregator.provision.resourcesync.serialization import serialize
from aggregator.provision.sets import MERGED_SET, REPOSITORY
from aggregator.provision.taken.recording import RESOURCESYNC, Span, took
from core.files import shared
from core.http.rate_limit import Counts, RateLimit

_PART = re.compile(r"resourcelist-([0-9]{1,12})\.xml")
_CHANGES = re.compile(r"changelist-([0-9]{1,12})\.xml")
_CHANGE_DUMP = re.compile(r"changedump-([0-9]{1,12})\.xml")
_SNAPSHOT = re.compile(r"(resourcelist|resourcedump)-at-([0-9]{1,12})(?:-([0-9]{1,12}))?\.xml")
SHOWN = 100  # changes that a notification channel shows
SUBSCRIPTIONS, HOUR = 60, 3600  # requests of one network in so many seconds
type Pieces = Iterable[str]


def _etag(_request: HttpRequest, **_named: str) -> str:
    return f'"{listing.version()}"'


@require_safe
@gzip_page
@condition(etag_func=_etag)
def description(_request: HttpRequest) -> HttpResponse:
    """Return the source description: /.well-known/resourcesync."""
    return _document(documents.source_description())


@require_safe
@gzip_page
@condition(etag_func=_etag)
def document(request: HttpRequest, set_name: str, name: str) -> HttpResponse:
    """Return a document of a set by its name."""
    origin = _origin(set_name)
    for span in _spans_of_list(set_name, origin, name):
        took(request, RESOURCESYNC, span)
    if name in _WHOLE:
        return _document(_WHOLE[name](set_name, origin))
    pieces = _numbered(set_name, origin, name)
    if pieces is None:
        raise Http404(name)
    return _document(pieces)


def _numbered(set_name: str, origin: int, name: str) -> Pieces | None:
    """Return a document that is one of several of its kind, or None if there is none with this name."""
    if part := _PART.fullmatch(name):
        return documents.resource_list(set_name, origin, int(part[1]))
    if part := _CHANGES.fullmatch(name):
        found = ChangeList.objects.filter(pk=int(part[1]), origin=origin).first()
        return documents.change_list(set_name, found) if found else None
    if part := _CHANGE_DUMP.fullmatch(name):
        dump = _change_packages(origin).filter(change_list=int(part[1])).first()
        return documents.archived_change_dump(set_name, dump, dump.change_list) if dump and dump.change_list else None
    if part := _SNAPSHOT.fullmatch(name):
        snapshot = snapshots.find(set_name, int(part[2]))
        return _of_snapshot(set_name, snapshot, part[1], part[3] or "") if snapshot else None
    return None


def _of_snapshot(set_name: str, snapshot: snapshots.Snapshot, capability: str, block: str) -> Pieces:
    if capability == "resourcedump":
        return documents.archived_dump(set_name, snapshot)
    if block:
        return documents.archived_list(set_name, snapshot, int(block))
    return documents.archived_list_index(set_name, snapshot)


@require_safe
@gzip_page
def resource(request: HttpRequest, set_name: str, name: str) -> HttpResponse:
    """Return the bytes of one resource as it is now; 410 if it was redistributed once but no longer is."""
    entry = record_listing.find(name) if naming.is_resource(name) else None
    if entry is None or _origin(set_name) != entry.origin:
        raise Http404(name)
    content = contents([entry.item], all_terms()).get(entry.item)
    if content is None:
        return _fresh(HttpResponse("410 Gone\n", "text/plain; charset=utf-8", status=410))
    response = _fresh(HttpResponse(serialize(content.record()), naming.MEDIA_TYPE))
    links = [f'<{naming.capability_list_url(set_name)}>; rel="resourcesync"']
    if page := pages([entry], {entry.item: content}).get(entry.item):
        links.append(f'<{quote(page, safe=_URI)}>; rel="describes"')
    response["Link"] = ", ".join(links)
    return response


def _spans_of_list(set_name: str, origin: int, name: str) -> Iterator[Span]:
    """Yield what a harvester has taken that has read this list of changes or resources; nothing for other documents."""
    if part := _PART.fullmatch(name):
        yield _span(set_name, 0, int(time.time()), int(part[1]))
    elif part := _CHANGES.fullmatch(name):
        for found in ChangeList.objects.filter(pk=int(part[1]), origin=origin):
            yield _span_of_changes(set_name, found)
    elif name == "changelist.xml" and not documents.has_many_changes(lists := listing.latest_lists(origin)):
        for found in lists:
            yield _span_of_changes(set_name, found)


def _span_of_changes(set_name: str, changes: ChangeList) -> Span:
    return _span(set_name, changes.since, int(time.time()) if changes.until is None else changes.until)


def _span_of_package(set_name: str, name: str) -> Span | None:
    """Return which items a package contains."""
    found = ResourcePackage.objects.filter(name=name).select_related("change_list").first()
    if found is None:
        return None
    changes = found.change_list
    return _span_of_changes(set_name, changes) if changes else _span(set_name, 0, found.at, found.block)


def _span(set_name: str, first: int, last: int, block: int | None = None) -> Span:
    spec = MERGED_SET if set_name == naming.MERGED else f"{REPOSITORY}:{set_name}"
    if block is None:
        return Span(spec, first, last)
    return Span(spec, first, last, block * naming.PART, (block + 1) * naming.PART - 1)


@require_safe
def package(request: HttpRequest, set_name: str, name: str) -> HttpResponseBase:
    """Return a ZIP file of a dump, or the manifest beside it."""
    stored = packages.shared_name(name)
    length = shared.size(stored) if f"-{set_name}-" in name else -1
    if length < 0:
        raise Http404(name)
    kind = documents.ZIP if name.endswith(".zip") else documents.XML
    if kind == documents.ZIP and (span := _span_of_package(set_name, name)):
        took(request, RESOURCESYNC, span)
    response = _fresh(StreamingHttpResponse(shared.part(stored, 0, length - 1), content_type=kind))
    response["Content-Length"] = str(length)
    response["Cache-Control"] = "public, max-age=86400, immutable"
    return response


@require_safe
def channel(_request: HttpRequest, set_name: str) -> HttpResponse:
    """Return the notification channel of a set (Framework Notification, section 4.1): its last changes, and the hub."""
    rows, _last = listing.changes_after(_origin(set_name), listing.number_before_last(_origin(set_name), SHOWN), SHOWN)
    response = _document(documents.change_notification(set_name, rows))
    response["Link"] = hub.link_header(set_name)
    return response


@csrf_exempt  # sent by programs without a session; the hub verifies the subscriber
@require_POST
def subscribe(request: HttpRequest) -> HttpResponse:
    """Handle a request to the WebSub hub to subscribe or to unsubscribe."""
    if settings.WEBSUB_HUB:
        raise Http404
    if wait := spend_budget(request, _subscriptions()):
        return HttpResponse(
            "There are too many requests from your network. Please follow the change list.\n",
            "text/plain; charset=utf-8",
            status=429,
            headers={"Retry-After": str(math.ceil(wait))},
        )
    problem = hub.request_subscription(request.POST.dict())
    if problem:
        return HttpResponse(f"{problem}\n", "text/plain; charset=utf-8", status=400)
    return HttpResponse(status=202)


@cache
def _subscriptions() -> RateLimit:
    """Every request makes us send one to an address that the asker names, so a network has few of them."""
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "subscription", SUBSCRIPTIONS, HOUR)


_URI = "%/:=&?~#+!$,;'@()*[]"  # characters that are not quoted in a URI


def _origin(set_name: str) -> int:
    found = listing.origin_of(set_name)
    if found is None:
        raise Http404(set_name)
    return found


def _dump(capability: str) -> Callable[[str, int], Pieces]:
    def pieces(set_name: str, origin: int) -> Pieces:
        rows = ResourcePackage.objects.filter(origin=origin, change_list__isnull=capability == "resourcedump")
        return documents.dump(set_name, capability, rows.select_related("change_list").order_by("pk"))

    return pieces


def _change_packages(origin: int) -> QuerySet[ResourcePackage]:
    packages = ResourcePackage.objects.filter(origin=origin, change_list__isnull=False)
    return packages.select_related("change_list").order_by("pk")


def _change_dump_archive(set_name: str, origin: int) -> Pieces:
    return documents.change_dump_archive(set_name, _change_packages(origin))


def _capability_list(set_name: str, origin: int) -> Pieces:
    return documents.capability_list(set_name, origin, hub.hub_url())


def _snapshot_archive(capability: str) -> Callable[[str, int], Pieces]:
    return lambda set_name, _origin: documents.snapshot_archive(set_name, capability)


_WHOLE: dict[str, Callable[[str, int], Pieces]] = {
    "capabilitylist.xml": _capability_list,
    "resourcelist.xml": documents.resource_list_index,
    "changelist.xml": documents.latest_changes,
    "resourcelist-archive.xml": _snapshot_archive("resourcelist"),
    "resourcedump-archive.xml": _snapshot_archive("resourcedump"),
    "changelist-archive.xml": documents.change_list_archive,
    "changedump-archive.xml": _change_dump_archive,
    "resourcedump.xml": _dump("resourcedump"),
    "changedump.xml": _dump("changedump"),
}


def _document(pieces: Pieces) -> HttpResponse:
    return _fresh(HttpResponse("".join(pieces), documents.XML))


def _fresh[R: HttpResponseBase](response: R) -> R:
    """Make clients revalidate, so that an unchanged answer is not sent again."""
    response.setdefault("Cache-Control", "no-cache")
    return response
