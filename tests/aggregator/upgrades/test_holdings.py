"""A site of a release without libraries gets its holdings a portion at a time, while it is in use."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone
from msgspec import structs

from aggregator.libraries import remerging
from aggregator.libraries.remerging import has_outdated
from aggregator.merging.stage import merge_pending
from aggregator.models import Holding, Library, Manifestation, Member, ProviderLinks
from aggregator.provision.pending import MERGED
from aggregator.provision.sets import Part
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from metadata.record import Item
from tests.aggregator.provision.list_helpers import list_all
from tests.aggregator.shelves import Shelf, book_id
from tests.books import record

pytestmark = pytest.mark.django_db
BOOKS = 7


@pytest.fixture
def site(monkeypatch) -> dict[str, str]:
    """Seven books as the previous release left them, after the migration: public id of a record -> id of its book."""
    shelf = Shelf()
    for number in range(BOOKS):
        for name in ("a", "b"):
            described = record(f"{name}{number}", title=f"本{number}", isbn=f"97840031010{number}{number}")
            item = Item(library_code=f"210{number}", holding_agent=f"図書館{number}", call_number=name)
            shelf.put(f"provider {name}", f"{name}{number}", structs.replace(described, items=(item,)))
    Repository.objects.update(state="live")
    aggregate()
    for book in Manifestation.objects.exclude(record=b""):
        member = book.members.earliest("pk").source_record
        merged = structs.replace(unpack_record(book.record), items=unpack_record(member.record).items)
        Manifestation.objects.filter(pk=book.pk).update(record=pack_record(merged))
    for table in (Holding, Library, ProviderLinks):
        table.objects.all().delete()
    import_module("aggregator.migrations.0028_provider_links").note_existing_providers(apps, None)
    monkeypatch.setattr(remerging, "PORTION", 3)
    return {source.public_id: book_id(source) for source in SourceRecord.objects.order_by("pk")}


def aggregations() -> int:
    """Aggregate as often as the dispatcher would; return how often."""
    count = 0
    while has_outdated() or Manifestation.objects.to_merge().exists():
        aggregate()
        count += 1
        assert count < 50
    return count


def test_libraries_and_holdings_are_made_in_portions_and_addresses_stay(client, site) -> None:
    listed = list_all(Part(origin=MERGED))
    assert aggregations() > 3
    assert {source.public_id: book_id(source) for source in SourceRecord.objects.order_by("pk")} == site
    assert list_all(Part(origin=MERGED)) == listed
    assert sorted(Holding.objects.values_list("library__name", "copies")) == [
        (f"図書館{number}", 2) for number in range(BOOKS)
    ]
    assert not any(unpack_record(packed).items for packed in Manifestation.objects.values_list("record", flat=True))
    assert not has_outdated()


def test_every_page_and_export_has_its_library_at_any_time(client, site) -> None:
    while has_outdated():
        for public_id, book in site.items():
            library = unpack_record(SourceRecord.objects.get(public_id=public_id).record).items[0].holding_agent
            assert library in client.get(f"/books/{public_id}").text
            assert library in client.get(f"/books/{book}.rdf").text
        aggregate()


def test_a_change_does_not_wait_for_all_portions(site) -> None:
    last = SourceRecord.objects.latest("pk")
    SourceRecord.objects.filter(pk=last.pk).update(
        record=pack_record(structs.replace(unpack_record(last.record), notes=("new",))), aggregated_at=None
    )
    aggregate()
    assert has_outdated()
    assert "new" in unpack_record(Member.objects.get(pk=last.pk).manifestation.record).notes


def test_marking_that_was_interrupted_goes_on_where_it_ended(site, monkeypatch) -> None:
    aggregate()
    done = ProviderLinks.objects.filter(done__gt=0).get()

    def killed(_records: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(remerging, "_mark_books_of", killed)
        aggregate()
    assert ProviderLinks.objects.get(pk=done.pk).done == done.done
    aggregations()
    assert Holding.objects.count() == BOOKS


def test_a_new_link_template_of_a_provider_reaches_the_holdings_of_its_books(client, site) -> None:
    aggregations()
    Repository.objects.filter(name="provider a").update(link_template="https://opac.example.jp/?isbn={isbn}")
    assert has_outdated()
    aggregations()
    assert {link.partition("?")[0] for link in Holding.objects.values_list("link", flat=True)} == {
        "https://opac.example.jp/"
    }


def test_the_books_of_a_new_provider_are_merged_once(site) -> None:
    aggregations()
    number = Repository.objects.create(number="R000000099", name="new").pk
    SourceRecord.objects.create(
        repository_id=number, identifier="c", public_id="R000000099-Ic", metadata_prefix="dcndl", payload_hash=b"x",
        record=pack_record(record("c", title="新しい本")), changed_at=timezone.now(),
    )  # fmt: skip
    aggregate()
    assert list(merge_pending()) == [] and not has_outdated()
