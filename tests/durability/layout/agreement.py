"""What must hold when a site has become quiet: providers = records = members = index = `/oai`, everything once.

Needs Django set up.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import requests
from lxml import etree

from aggregator.models import Manifestation, Member
from aggregator.search import get_index
from aggregator.search.base import Query
from harvesting.models import Harvest, RecordVersion, SourceRecord
from harvesting.records.compression import unpack_record
from tests.durability.crowd import wrong_catalogue
from tests.durability.layout.providers import Library

OAI = "{http://www.openarchives.org/OAI/2.0/}"
SHOWN = 5  # names in a sentence


def disagreements(url: str, owners: dict[int, Library]) -> Iterator[str]:
    """Yield a sentence for everything that is lost, there twice or different. owners: key of a repository -> its
    provider.
    """
    yield from wrong_records(owners)
    yield from _wrong_versions()
    yield from _wrong_members()
    yield from _wrong_index()
    yield from _wrong_list(url)
    yield from wrong_catalogue()
    for run in Harvest.objects.exclude(lease_until=None):
        yield f"run {run.pk}, {run.state}, still has an owner"


def compare(what: str, found: Iterable[object], right: Iterable[object]) -> Iterator[str]:
    """Compare two collections, in which nothing may be there twice."""
    counts, wanted = Counter(found), Counter(right)
    for name, wrong in (("lost", wanted - counts), ("too many", counts - wanted)):
        if wrong:
            yield f"{what}: {wrong.total()} {name}, for example {sorted(map(str, wrong))[:SHOWN]}"


def wrong_records(owners: dict[int, Library]) -> Iterator[str]:
    """The records that the providers have now are stored, each once."""
    stored = defaultdict(list)
    for row in SourceRecord.objects.values_list("repository", "identifier", "datestamp", "deleted", "record"):
        stored[row[0]].append((*row[1:4], "" if row[3] else unpack_record(bytes(row[4])).display_title))
    for owner, library in owners.items():
        right = [
            (record.identifier, record.datestamp, record.deleted, "" if record.deleted else library.title(local))
            for local, record in library.records.items()
        ]
        yield from compare(f"records of {library.source.name}", stored[owner], right)


def _wrong_versions() -> Iterator[str]:
    """An earlier version differs from the one that followed it."""
    follower = dict(SourceRecord.objects.values_list("pk", "payload_hash"))
    rows = RecordVersion.objects.order_by("-pk").values_list("record", "payload_hash", "record__identifier")
    for record, digest, identifier in rows:
        if bytes(follower[record]) == bytes(digest):
            yield f"{identifier} has a version without new content"
        follower[record] = digest


def _wrong_members() -> Iterator[str]:
    live = SourceRecord.objects.filter(deleted=False).values_list("pk", flat=True)
    yield from compare("members", Member.objects.values_list("source_record", flat=True), live)
    books = Manifestation.objects.exclude(record=b"").values_list("pk", flat=True)
    yield from compare("books", set(Member.objects.values_list("manifestation", flat=True)), books)


def _wrong_index() -> Iterator[str]:
    """Every book is found once by an empty search, and by the title of each of its records."""
    live = list(Manifestation.objects.exclude(record=b"").values_list("pk", flat=True))
    yield from compare("index", everything_found(Query(page_size=100)), live)
    titled = defaultdict(set)
    members = Member.objects.values_list("manifestation", "source_record__record")
    for book, packed in members:
        titled[unpack_record(bytes(packed)).display_title].add(book)
    for title, books in titled.items():
        missing = books - set(everything_found(Query(title=title, page_size=100)))
        if missing:
            yield f"{title!r} does not find {sorted(missing)[:SHOWN]}"


def everything_found(query: Query) -> Iterator[int]:
    """Yield the ids of all hits."""
    while True:
        results = get_index().search(query, ())
        yield from (book for book, _score in results.hits)
        if not results.next:
            return
        query = replace(query, after=results.next)


def _wrong_list(url: str) -> Iterator[str]:
    """`/oai` lists every live record and every book once."""
    records = SourceRecord.objects.filter(deleted=False).exclude(record=b"").values_list("public_id", flat=True)
    books = Manifestation.objects.exclude(record=b"").values_list("pk", flat=True)
    right = [*records, *(f"M{book}" for book in books)]
    yield from compare("/oai", listed(url), right)


def listed(url: str) -> Iterator[str]:
    """Yield the public ids of what /oai lists as not deleted."""
    session = requests.Session()
    arguments = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"}
    while arguments:
        response = session.get(f"{url}/oai", params=arguments, timeout=60)
        response.raise_for_status()
        root = etree.fromstring(response.content)
        for header in root.iter(f"{OAI}header"):
            if header.get("status") != "deleted":
                yield header.findtext(f"{OAI}identifier").rpartition(":")[2]
        token = root.findtext(f".//{OAI}resumptionToken")
        arguments = {"verb": "ListIdentifiers", "resumptionToken": token} if token else {}
