"""Records that come again byte for byte are not read, and all is stored as if they had been."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from aggregator.erasing.records import make_tombstones
from harvesting.completion.sweep import sweep
from harvesting.harvest.run import request_of
from harvesting.harvest.store import store_batch
from harvesting.models import Feed, Harvest, Membership, RecordAbout, RecordIssue, RuleSwitch, SourceRecord
from harvesting.records import fingerprints, tombstones
from harvesting.registry.policies import policy_of
from harvesting.runs import lifecycle
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.types import HarvestedRecord, HarvestRequest, recognise_nothing
from metadata.issue import Severity
from tests.harvesting.batches import begin_run, new_feed
from tests.harvesting.harvest.changing_provider import LICENCES, URL, ChangingProvider, Held
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
# What differs between two sites, or says when and by which run a row was written.
OWN = (
    "id",
    "public_id",
    "repository_id",
    "feed_id",
    "changed_at",
    "deleted_at",
    "deleted_by",
    "brought_by",
    "successor_id",
)
COUNTERS = ("state", "code", "received", "created", "updated", "unchanged", "deleted", "rejected", "swept", "pages")


class Site:
    """A repository with its feeds. recognises: whether its harvests leave known records unread."""

    def __init__(self, *, recognises: bool, feeds: int = 1) -> None:
        self.recognises = recognises
        first = new_feed(base_url=URL)
        self.feeds = [first, *(new_feed(first.repository, base_url=f"{URL}/{n}") for n in range(1, feeds))]
        self.unread = 0

    def harvest(self, provider: ChangingProvider, kills: list[int], feed: int = 0, *, full: bool = True) -> Harvest:
        """Harvest everything; the worker is killed after each of these numbers of pages, before it stores the next."""
        run = begin_run(self.feeds[feed], full=full)
        for pages in kills:
            self._read(run, provider, pages)
            run = _again(run)
        self._read(run, provider, 1000)
        if run.state == Harvest.State.RUNNING and run.phase == Harvest.Phase.SWEEP:
            sweep(run)
        run.refresh_from_db()
        return run

    def _read(self, run: Harvest, provider: ChangingProvider, most: int) -> None:
        ask = partial(fingerprints.recognise, run.feed, policy_of) if self.recognises else recognise_nothing
        batches = OaiPmhTransport(URL, provider.fetch).batches(replace(request_of(run), recognise=ask))
        for number, batch in enumerate(batches):
            if number == most:
                return
            self.unread += sum(record.stored_as > 0 for record in batch.records)
            store_batch(run, batch)

    def state(self) -> dict[str, Any]:
        """All that is stored of the records, by identifier."""
        rows = SourceRecord.objects.filter(repository=self.feeds[0].repository)
        numbers = {feed.pk: number for number, feed in enumerate(self.feeds)}
        runs = dict(Harvest.objects.filter(feed__in=self.feeds).values_list("pk", "feed"))
        order = {pk: place for place, pk in enumerate(sorted(runs))}
        return {
            row.identifier: (
                {
                    name: bytes(value) if isinstance(value, memoryview) else value
                    for name, value in SourceRecord.objects.filter(pk=row.pk).values()[0].items()
                    if name not in OWN and name != "last_harvest" and name != "aggregated_at"
                },
                numbers.get(row.feed_id or 0),
                order.get(row.last_harvest),
                order.get(row.brought_by or 0),
                row.aggregated_at is None,
                row.successor.identifier if row.successor else "",
                sorted(RecordIssue.objects.filter(source_record=row).values_list("code", "field", "value")),
                [bytes(packed) for packed in RecordAbout.objects.filter(record=row).values_list("packed", flat=True)],
                sorted(
                    (numbers[feed], order.get(last, -1))
                    for feed, last in Membership.objects.filter(record=row).values_list("feed", "last_harvest")
                ),
            )
            for row in rows
        }

    def result(self, run: Harvest) -> dict[str, Any]:
        """What the run says of itself."""
        values = {name: getattr(run, name) for name in COUNTERS}
        return values | {"observations": run.observations, "issues": run.issue_counts, "held": run.held}

    def named(self, name: str) -> SourceRecord:
        return SourceRecord.objects.get(repository=self.feeds[0].repository, identifier=f"oai:p.example:{name}")


def _again(run: Harvest) -> Harvest:
    """The run as another worker claims it after this one was killed."""
    Harvest.objects.filter(pk=run.pk).update(state="interrupted")
    other = Harvest.objects.get(pk=run.pk)
    assert lifecycle.claim(other)
    return other


def _meddle(chance: random.Random) -> Callable[[Site], None]:
    """Something that happens here between two harvests, to the same records of each site."""
    number = chance.random()

    def one(site: Site, **state: bool) -> list[int]:
        rows = SourceRecord.objects.filter(repository=site.feeds[0].repository, **state).order_by("identifier")
        pks = list(rows.values_list("pk", flat=True))
        return [pks[int(number * len(pks))]] if pks else []

    def delete(site: Site) -> None:
        tombstones.mark_deleted(SourceRecord.objects.filter(pk__in=one(site, deleted=False)), "person")

    def restore(site: Site) -> None:
        tombstones.restore(SourceRecord.objects.filter(pk__in=one(site, deleted=True)))

    def erase(site: Site) -> None:
        make_tombstones(one(site))

    def nothing(site: Site) -> None:
        pass

    return chance.choice([delete, restore, erase, nothing, nothing, nothing])


@seeds(60, always=2)
def test_a_site_that_recognises_records_stores_the_same_as_one_that_reads_all(seed):
    chance = random.Random(seed)
    feeds = chance.choice([1, 1, 2])
    provider = ChangingProvider(chance)
    sites = [Site(recognises=True, feeds=feeds), Site(recognises=False, feeds=feeds)]
    provider.fill(chance.randint(3, 24))
    for _ in range(12):
        kills = [chance.randint(0, 3) for _ in range(chance.choice([0, 0, 1, 2]))]
        feed, full, meddle = chance.randrange(feeds), chance.random() < 0.8, _meddle(chance)
        old_worker = chance.random() < 0.15
        results = []
        for site in sites:
            before = dict(SourceRecord.objects.values_list("pk", "fingerprint"))
            results.append(site.result(site.harvest(provider, kills, feed, full=full)))
            if old_worker:  # of the last release: it does not know the column, and leaves it as it is
                for pk, value in before.items():
                    SourceRecord.objects.filter(pk=pk).update(fingerprint=value)
            meddle(site)
        assert results[0] == results[1]
        assert sites[0].state() == sites[1].state()
        for _ in range(chance.choice([0, 0, 1, 2, 5])):
            provider.change()
    assert not sites[1].unread


def filled(*records: Held) -> ChangingProvider:
    return ChangingProvider(random.Random(0), records=list(records))


def test_only_what_has_changed_is_read():
    provider, site = filled(*(Held(f"b{number}") for number in range(10))), Site(recognises=True)
    site.harvest(provider, [])
    assert site.unread == 0
    provider.records.insert(0, Held("new"))  # all others move, and some of them to the next page
    provider.records[3] = Held("b2", version="2", day=2)
    run = site.harvest(provider, [])
    assert (run.state, run.created, run.updated, run.unchanged) == ("succeeded", 1, 1, 9)
    assert site.unread == 9


def test_records_of_a_site_that_was_upgraded_are_recognised_from_the_second_harvest_on():
    provider, site = filled(*(Held(f"b{number}") for number in range(10))), Site(recognises=True)
    site.harvest(provider, [])
    SourceRecord.objects.update(fingerprint=None)
    site.harvest(provider, [])
    assert site.unread == 0
    run = site.harvest(provider, [])
    assert (run.unchanged, site.unread) == (10, 10)


def test_a_change_by_a_worker_of_the_last_release_is_not_overlooked_when_the_provider_takes_it_back():
    provider, site = filled(Held("b1"), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    old = bytes(site.named("b1").fingerprint or b"")
    provider.records[0] = Held("b1", version="2", day=2)
    site.harvest(provider, [])
    SourceRecord.objects.filter(pk=site.named("b1").pk).update(fingerprint=old)
    provider.records[0] = Held("b1")
    assert site.harvest(provider, []).updated == 1


def test_a_licence_is_not_overlooked_when_the_provider_takes_another_one_back():
    provider, site = filled(Held("b1", licence=LICENCES[0]), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    first = bytes(RecordAbout.objects.get().packed)
    for licence in (LICENCES[1], LICENCES[0]):
        provider.records[0] = Held("b1", licence=licence)
        site.harvest(provider, [])
    assert bytes(RecordAbout.objects.get().packed) == first


def test_noise_in_a_record_makes_no_row_be_written_again():
    provider, site = filled(Held("b1"), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    before = site.state()
    for number in range(2):
        provider.records[0] = Held("b1", noise="\n" * (number + 1))
        assert site.harvest(provider, []).unchanged == 2
    assert site.state() == before
    assert site.unread == 2  # b2, twice


def test_a_rejected_record_gets_no_fingerprint():
    provider, site = filled(Held("b1", version="")), Site(recognises=True)
    site.harvest(provider, [])
    assert site.named("b1").fingerprint is None


def test_no_record_is_recognised_while_the_provider_rejects_what_its_header_may_lack():
    provider, site = filled(Held("b1", sets=("not a set",)), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    RuleSwitch.objects.create(repository=site.feeds[0].repository, code="oai.W016", outcome=Severity.RECORD_ERROR.value)
    run = site.harvest(provider, [])
    assert (run.rejected, run.unchanged, site.unread) == (1, 1, 0)


def test_another_set_in_our_request_makes_all_records_be_read_once():
    provider, site = filled(Held("b1"), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    Feed.objects.filter(pk=site.feeds[0].pk).update(set_spec="books")
    site.harvest(provider, [])
    assert (site.unread, site.named("b1").set_specs) == (0, ["books"])
    site.harvest(provider, [])
    assert site.unread == 2


@pytest.mark.parametrize("erase", [make_tombstones, None])
def test_nothing_of_a_record_that_was_erased_or_has_expired_stays_in_its_fingerprint(erase):
    provider, site = filled(Held("b1"), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    row = site.named("b1")
    assert row.fingerprint
    if erase:
        erase([row.pk])
    else:
        tombstones.mark_deleted(SourceRecord.objects.filter(pk=row.pk), "person")
        tombstones.forget(timezone.now() + tombstones.KEPT_FOR + timedelta(days=1))
    assert site.named("b1").fingerprint is None
    run = site.harvest(provider, [])
    assert (run.updated, site.named("b1").deleted) == (1, False)


def test_a_record_that_changes_while_its_page_is_read_is_left_as_it_was_changed():
    provider, site = filled(Held("b1"), Held("b2")), Site(recognises=True)
    site.harvest(provider, [])
    run = begin_run(site.feeds[0], full=True)

    def ask(digests: dict[str, bytes]) -> dict[str, HarvestedRecord]:
        known = fingerprints.recognise(run.feed, policy_of, digests)
        tombstones.mark_deleted(SourceRecord.objects.filter(pk=site.named("b1").pk), "person")
        return known

    request = HarvestRequest(metadata_prefix="dcndl", full=True, recognise=ask)
    for batch in OaiPmhTransport(URL, provider.fetch).batches(request):
        store_batch(run, batch)
    run.refresh_from_db()
    assert (run.unchanged, site.named("b1").deleted, site.named("b2").deleted) == (2, True, False)
