"""A small catalogue made by the real code (store, match, merge, stamp), and how its rows are copied by SQL.

Columns are copied as they are, so that sizes are real. Only row numbers are shifted past those of the previous copy,
identifiers get the number of the copy, and 64-bit keys are XORed with a random number, which keeps their distribution.
So a copy matches nothing outside itself, and keys that many books of a real catalogue share are too rare here.
"""

from collections.abc import Iterable, Iterator
from itertools import batched, islice

from django.db import connection, models
from lxml import etree

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import (
    ChangeList,
    Core,
    Holding,
    Kind,
    Manifestation,
    MatchKey,
    Member,
    Provided,
    ProvidedCopy,
    ProvidedType,
    Resource,
    ResourceChange,
    ReviewPair,
    WorkKey,
)
from aggregator.provision.resourcesync.changes import update_resources
from aggregator.provision.stamping import stamp_pending
from harvesting.harvest.run import create_harvest
from harvesting.harvest.store import store_batch
from harvesting.models import Feed, Harvest, RecordIssue, RecordVersion, Repository, SourceRecord
from harvesting.registry.registration import register
from harvesting.runs.lifecycle import claim
from harvesting.types import Batch, HarvestedRecord
from sampleprovider.generator import generated_source

RECORDS = 10_000  # in the template
PAGE = 200
PROVIDERS = 1000
LARGE = 2  # number of the provider that has a third of all records
CHANGED = 20  # one in this many records has an earlier version
STORAGE = (SourceRecord, RecordIssue, RecordVersion)
MATCHING = (Manifestation, Core, Kind, Member, MatchKey, WorkKey, ReviewPair, Holding)
PROVISION = (Provided, ProvidedType, ProvidedCopy, Resource, ChangeList, ResourceChange)
NUMBERED = (
    RecordIssue,
    RecordVersion,
    ReviewPair,
    Holding,
    ProvidedType,
    ProvidedCopy,
    ChangeList,
    ResourceChange,
)  # with an auto-increment id
# Columns with the number of a record, of a manifestation or of a redistributed item
NUMBERS = (
    "id",
    "item",
    "source_record_id",
    "manifestation_id",
    "example_id",
    "record_id",
    "first_id",
    "second_id",
    "work",
)
SOURCE = generated_source(2_000_000)


def received(first: int, count: int, changed: bool = False) -> Iterator[HarvestedRecord]:
    """Yield records as a transport does. changed: with other bytes of the same meaning."""
    listed = SOURCE.holdings.listing("dcndl", "")
    for number in range(first, first + count):
        record = listed[number]
        payload = record.payloads["dcndl"]
        if changed:
            payload = payload.replace(b"<dcterms:issued", b" <dcterms:issued")
        yield HarvestedRecord(
            identifier=record.identifier,
            datestamp="2026-11-01T00:00:00Z",
            payload=payload,
            root=etree.fromstring(payload),
        )


def begin() -> Harvest:
    """Create a run of the first provider and claim it. One that the dispatcher has queued meanwhile is cancelled."""
    feed = Feed.objects.select_related("repository").earliest("pk")
    feed.harvests.active().update(state=Harvest.State.CANCELLED)
    run = create_harvest(feed)
    assert claim(run)
    return run


def end(run: Harvest) -> None:
    Harvest.objects.filter(pk=run.pk).update(state=Harvest.State.SUCCEEDED, lease_until=None)


def store(run: Harvest, records: Iterable[HarvestedRecord]) -> None:
    for page in batched(records, PAGE):
        store_batch(run, Batch(records=page, resumption_token="more"))


def make_template() -> None:
    for number in range(PROVIDERS):
        name = f"R{900_000_001 + number}"
        feed = Feed(base_url=f"http://127.0.0.1/{name}", metadata_prefix="dcndl")
        register(Repository(number=name, name=f"図書館{number}", approved=True), [feed])
    run = begin()
    store(run, received(0, RECORDS))
    end(run)
    run = begin()
    store(run, islice(received(0, RECORDS, changed=True), 0, None, CHANGED))
    end(run)
    for steps in (aggregate_pending(), merge_pending(), stamp_pending(), update_resources()):
        for _done in steps:
            pass
    Manifestation.objects.update(index_pending=False)
    assert one(f"SELECT MAX(id) FROM {table(SourceRecord)}") == RECORDS
    for model in (*STORAGE, *MATCHING, *PROVISION):
        run_sql(f"CREATE TABLE scale_{table(model)} AS SELECT * FROM {table(model)}")


def columns(model: type[models.Model]) -> list[str]:
    return [field.column for field in model._meta.concrete_fields if not isinstance(field, models.CompositePrimaryKey)]


HASHES = ("key", "core_id", "kind_id", "linked_to", "first_core_id", "second_core_id")  # and the ids of Core and Kind


def value(model: type[models.Model], column: str) -> str:
    """Return a column's value in a copy, as SQL for both databases."""
    if column in HASHES or column == "id" and model in (Core, Kind):
        return f"(t.{column} | c.turn) - (t.{column} & c.turn)"  # exclusive or
    provider = f"CASE WHEN c.copy % 3 = 0 THEN {LARGE} ELSE 1 + c.copy % {PROVIDERS} END"
    made = {
        "repository_id": provider,
        "feed_id": provider,
        "origin": f"CASE WHEN t.{column} = 0 THEN 0 ELSE {provider} END",
        "identifier": "t.identifier || '-' || c.copy",
        "until": "COALESCE(t.until, t.since)",  # a set has one open list of changes
        "change_list_id": f"t.change_list_id + c.copy * {1 + highest(ChangeList)}",
        "public_id": f"'R' || (900000000 + {provider}) || substr(t.public_id, 11, 11) || (100000 + c.copy)",
    }
    if column in made:
        return made[column]
    if column == "id" and model in NUMBERED:
        return f"t.id + c.copy * {1 + highest(model)}"
    if column in NUMBERS:
        return f"t.{column} + c.copy * {2 * RECORDS if model in PROVISION else RECORDS}"
    return f"t.{column}"


def highest(model: type[models.Model]) -> int:
    return int(one(f"SELECT COALESCE(MAX(id), 0) FROM scale_{table(model)}"))


def table(model: type[models.Model]) -> str:
    return model._meta.db_table


def run_sql(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def one(sql: str, *parameters: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.fetchone()[0])
