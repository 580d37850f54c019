"""Harvesting by ResourceSync 1.1: lists, changes, dumps and the linking of metadata."""

from harvesting.http.fetch import Fetcher
from harvesting.texts import _
from harvesting.transports.kind import Detection, TransportKind
from harvesting.transports.resourcesync.messages import MESSAGES
from harvesting.transports.resourcesync.transport import ResourceSyncTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Source, Transport

_ROOTS = (b"urlset", b"sitemapindex")  # without the namespace of the protocol, a sitemap for search engines
_NAMESPACE = b"http://www.openarchives.org/rs/terms/"


def _make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return ResourceSyncTransport(source.base_url, fetcher.fetch, retry_policy)


def _recognises(root: bytes, start: bytes) -> bool:
    return root in _ROOTS and _NAMESPACE in start


TRANSPORT = TransportKind(
    name="resourcesync",
    label="ResourceSync",
    make=_make,
    address=_("ResourceSync: the home page or the Source Description."),
    place=_("of a ResourceSync home page or source description"),
    guide=_(
        "For large collections and files: a resource list, plus change lists for updates. The source description can "
        "be placed at /.well-known/resourcesync."
    ),
    # ResourceSync 1.1, section 6.3.2
    detection=Detection(recognises=_recognises, well_known="/.well-known/resourcesync"),
    version="ResourceSync 1.1",
    fetches_single=True,
    has_identify=True,
    falls_back=True,  # if the change lists are broken or do not reach back far enough
    messages=MESSAGES,
    words={
        "rs": _("not a valid ResourceSync document"),
        "rs.not_found": _("not found"),
        "rs.other_host": _("it is on another provider's host"),
        "rs.bad_entry": _("it has an entry without a usable address"),
        "rs.nested_index": _("it is an index inside an index"),
        "rs.too_many_sets": _("the provider has more sets than are read"),
    },
    unknown_record_codes=frozenset({"rs.not_metadata"}),
    issue_families=frozenset({"rs"}),
)
