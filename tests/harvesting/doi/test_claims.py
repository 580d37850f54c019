"""What only the site knows of a DOI: the agreement of the provider, and the records that claim it."""

import pytest

from harvesting.doi.states import check_changed
from harvesting.doi.verdicts import find_vanished
from harvesting.models import DoiAgreement, DoiEvent, RecordIssue, RequestedDoi, SourceRecord
from harvesting.records.compression import pack_record
from harvesting.rereading.run import reread_now
from harvesting.theses.states import look_through
from tests.harvesting.batches import gone, new_feed
from tests.harvesting.doi.papers import WITHOUT_VOLUME, harvest, new_provider, paper, states
from tests.metadata.deposits.test_jalc import PAPER

pytestmark = pytest.mark.django_db


def found() -> dict[str, list[str]]:
    """Name of a record -> codes of its errors about DOIs."""
    rows = RecordIssue.objects.filter(code__startswith="doi.E").order_by("code")
    result: dict[str, list[str]] = {}
    for identifier, code in rows.values_list("source_record__identifier", "code"):
        result.setdefault(identifier.removeprefix("oai:x:"), []).append(code)
    return result


def registered() -> list[str]:
    names = SourceRecord.objects.exclude(payload_hash=b"").order_by("identifier").values_list("identifier", flat=True)
    return [name.removeprefix("oai:x:") for name in names]


def test_a_paper_whose_doi_can_be_registered_is_ready():
    harvest(new_provider(), paper("a"), paper("b", **WITHOUT_VOLUME))
    check_changed()
    assert states() == {"a": "ready"}
    assert (registered(), found()) == (["a"], {"b": ["doi.E006"]})


def test_outside_irdb_a_paper_is_kept_and_its_doi_is_blocked():
    harvest(new_provider("ndl"), paper("b", **WITHOUT_VOLUME))
    check_changed()
    assert (states(), registered()) == ({"b": "blocked"}, ["b"])
    row = RequestedDoi.objects.get()
    assert row.codes == ["doi.E006"]
    assert list(row.events.values_list("state", "message")) == [("blocked", "doi.E006")]


def test_a_foreign_prefix_and_a_foreign_host_are_reported():
    feed = new_provider("ndl", jalc_prefixes="10.1234 10.14978")
    harvest(feed, paper("a"), paper("b", site="https://elsewhere.example.com"))
    check_changed()
    assert found() == {"a": ["doi.E021"], "b": ["doi.E021", "doi.E024"]}
    assert states() == {"a": "blocked", "b": "blocked"}


def test_without_an_agreement_nothing_but_the_record_counts():
    harvest(new_feed(metadata_prefix="jpcoar"), paper("a", site="https://elsewhere.example.com"))
    check_changed()
    assert (found(), states()) == ({}, {"a": "ready"})


@pytest.mark.parametrize("profile", ["irdb", "ndl"])
def test_a_doi_belongs_to_the_first_record_that_claims_it(profile):
    feed = new_provider(profile)
    harvest(feed, paper("a"), paper("b", doi="a"))
    harvest(feed, paper("c", doi="a"))
    assert found() == {"b": ["doi.E022"], "c": ["doi.E022"]}
    assert registered() == (["a"] if profile == "irdb" else ["a", "b", "c"])
    assert RequestedDoi.objects.get().record.identifier == "oai:x:a"
    harvest(feed, paper("a", issued="1908"), datestamp="2026-01-11T00:00:00Z")
    assert "a" not in found()


def test_the_doi_of_a_deleted_record_can_be_claimed_again():
    feed = new_provider()
    harvest(feed, paper("a"))
    SourceRecord.objects.update(deleted=True)
    harvest(feed, paper("b", doi="a"))
    assert found() == {}
    assert RequestedDoi.objects.get().record.identifier == "oai:x:b"


def test_a_doi_that_was_handed_over_may_not_change():
    feed = new_provider()
    harvest(feed, paper("a"))
    harvest(feed, paper("a", doi="typo"), datestamp="2026-01-11T00:00:00Z")
    assert found() == {}
    check_changed()
    assert states() == {"typo": "ready"}
    RequestedDoi.objects.update(state="registered", sent_digest="x" * 64)
    harvest(feed, paper("a", doi="other"), datestamp="2026-01-12T00:00:00Z")
    assert found() == {"a": ["doi.E023"]}
    assert states() == {"typo": "registered"}


def test_a_change_of_the_record_and_its_end_are_noticed():
    feed = new_provider()
    harvest(feed, paper("a"), paper("b"))
    check_changed()
    RequestedDoi.objects.filter(doi="10.14977/a").update(state="registered")
    row = RequestedDoi.objects.get(doi="10.14977/a")
    RequestedDoi.objects.update(sent_digest=row.digest)
    RequestedDoi.objects.filter(doi="10.14977/b").update(sent_digest="")
    harvest(feed, paper("a", issued="1907-06"), datestamp="2026-01-11T00:00:00Z")
    check_changed()
    assert states() == {"a": "registered", "b": "ready"}
    harvest(feed, paper("a", issued="1908"), datestamp="2026-01-12T00:00:00Z")
    check_changed()
    assert states() == {"a": "changed", "b": "ready"}
    SourceRecord.objects.update(deleted=True)
    find_vanished(RequestedDoi)
    check_changed()
    assert states() == {"a": "gone"}
    history = DoiEvent.objects.filter(requested_doi=row).values_list("state", flat=True)
    assert list(history) == ["ready", "changed", "gone"]


def test_a_record_that_its_provider_deletes_is_noticed():
    feed = new_provider()
    harvest(feed, *(paper(f"p{number}") for number in range(40)))
    check_changed()
    RequestedDoi.objects.update(state="registered", sent_digest="x" * 64)
    harvest(feed, gone("p1"))
    assert RequestedDoi.objects.filter(checked_at=None).count() == 1
    check_changed()
    assert states()["p1"] == "gone"


def test_what_was_harvested_before_is_found_by_a_check_of_everything():
    feed = new_provider()
    harvest(feed, paper("a"), paper("b"), paper("c", doi="x", agency="Crossref"))
    RequestedDoi.objects.all().delete()
    assert sum(look_through(feed.repository_id)) == 2
    check_changed()
    assert states() == {"a": "ready", "b": "ready"}


def test_what_only_datacite_registers_has_no_row():
    feed = new_provider()
    harvest(feed, paper("a", agency="DataCite"))
    assert not RequestedDoi.objects.exists()


def test_a_reread_follows_a_changed_agreement_and_keeps_what_only_a_comparison_shows():
    feed = new_provider("ndl")
    harvest(feed, paper("a"), paper("b", doi="a"))
    RequestedDoi.objects.all().delete()
    DoiAgreement.objects.update(jalc_prefixes="10.12345")
    SourceRecord.objects.update(record=pack_record(PAPER))  # as an earlier crosswalk read them
    reread_now(list(SourceRecord.objects.values_list("pk", flat=True)))
    assert found() == {"a": ["doi.E021"], "b": ["doi.E021", "doi.E022"]}
    check_changed()
    assert RequestedDoi.objects.get().record.identifier == "oai:x:a"
    assert states() == {"a": "blocked"}
