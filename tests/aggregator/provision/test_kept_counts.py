"""What is counted while stamping and taking over is what counting all rows finds, whatever has happened to records."""

from collections.abc import Iterator
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from lxml import etree
from msgspec import structs

from aggregator.erasing.begin import begin
from aggregator.models import (
    ListCounting,
    ListSize,
    Provided,
    ProvidedCopy,
    ProvidedType,
    Resource,
    ResourceBlock,
    ResourceClock,
)
from aggregator.provision import listing, stamping
from aggregator.provision.listing import Span
from aggregator.provision.oai import lists
from aggregator.provision.pending import MERGED
from aggregator.provision.resourcesync import blocks
from aggregator.provision.sets import COPIES, EVERY_REPOSITORY, EVERYTHING, Part
from aggregator.provision.stamps import list_sizes
from aggregator.tasks import aggregate, erase_providers
from harvesting.models import Repository, SourceRecord
from harvesting.records.suppression import release, suppress
from metadata.record import BibliographicRecord, MaterialType
from tests.aggregator.provision.list_helpers import aggregate_a_second_later
from tests.aggregator.provision.test_holdings import UNION, copy
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
STEPS, PROVIDERS, NAMES = 25, "abcd", 12
KINDS = (("http://ndl.go.jp/ndltype/Map", "地図"), ("http://ndl.go.jp/ndltype/Book", "図書"), ("", ""))


@pytest.fixture(autouse=True)
def small(settings, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of four numbers, portions of three items, so that few records fill several."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(blocks, "PART", 4)
    monkeypatch.setattr(list_sizes, "PORTION", 3)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def some_record(pick: Random, name: str) -> BibliographicRecord:
    kind = pick.choice(KINDS)
    types = (MaterialType(uri=kind[0], label=kind[1]),) if kind[0] else ()
    made = record(name, title=f"{pick.choice('山海空')}の本 {pick.randrange(4)}")
    return structs.replace(made, material_types=types)


def change_something(shelf: Shelf, pick: Random, providers: str) -> None:
    provider, number = pick.choice(providers), pick.randrange(NAMES)
    stored = SourceRecord.objects.filter(identifier=f"{provider}{number}").first()
    action = pick.choice(("put", "put", "put", "copy", "delete", "suppress", "release", "forbid", "permit"))
    if action == "put":
        shelf.put(provider, f"{provider}{number}", some_record(pick, str(number)))
    elif action == "copy":
        one = copy(str(number), pick.choice(("2101", "2127")), call_number=str(pick.randrange(3)))
        shelf.put(UNION, f"copy{number}", one)
    elif action in ("forbid", "permit"):
        Repository.objects.filter(pk=shelf.repository(provider).pk).update(give_on=action == "permit")
    elif stored and action == "delete":
        shelf.delete(stored.identifier)
    elif stored and action == "suppress":
        suppress(stored, "test", "someone")
    elif stored:
        release(stored)


def all_parts() -> Iterator[tuple[Part, int]]:
    """Yield parts and the number of their rows."""
    stamped = Provided.objects.filter(stamp__isnull=False)
    yield EVERYTHING, stamped.count()
    yield Part(origin=EVERY_REPOSITORY), stamped.exclude(origin=0).count()
    yield Part(origin=COPIES), ProvidedCopy.objects.count()
    for origin in {*stamped.values_list("origin", flat=True), 0, 77}:
        yield Part(origin=origin), stamped.filter(origin=origin).count()
    for name in {*ProvidedType.objects.values_list("type", flat=True), "Score"}:
        yield Part(type=name), ProvidedType.objects.filter(type=name).count()


def check_all() -> None:
    for part, count in all_parts():
        assert list_sizes.size(part) == count, part
    for origin in {*Resource.objects.values_list("origin", flat=True), 77}:
        kept = ResourceBlock.objects.filter(origin=origin).order_by("block").values_list("block", "stamp", "live")
        assert blocks.parts(origin) == list(kept) == blocks.grouped(origin), origin


def all_sizes() -> list[int | None]:
    return [list_sizes.size(part) for part, _count in all_parts()]


@seeds(20, always=2)
def test_counts_are_those_of_the_rows_after_random_changes(shelf: Shelf, seed: int) -> None:
    pick, providers = Random(seed), PROVIDERS
    for step in range(STEPS):
        for _change in range(pick.randrange(1, 6)):
            change_something(shelf, pick, providers)
        if step == STEPS - 5:
            begin(shelf.repository("a"), None, "wish")
            erase_providers()
            providers = PROVIDERS[1:]
        aggregate_a_second_later()
        check_all()
    assert ResourceBlock.objects.filter(origin=MERGED).count() > 2
    assert ListSize.objects.filter(list__startswith="type:").count() > 1


@pytest.fixture
def ten_books(shelf: Shelf) -> Shelf:
    for number in range(10):
        shelf.put("ab"[number % 2], f"n{number}", record(str(number), title=f"{number}冊目の本"))
    aggregate()
    return shelf


def test_counting_what_an_older_release_has_stamped_can_stop_and_continue(
    ten_books: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    ListCounting.objects.all().delete()
    assert stamping.has_pending()
    counting = list_sizes.count_missing()
    next(counting), next(counting)
    ten_books.put("a", "n0", record("0", title="改訂された本"))
    ten_books.put("a", "n10", record("10", title="新しい本"))
    with monkeypatch.context() as stopped:
        stopped.setattr(list_sizes, "count_missing", lambda: iter(()))
        aggregate_a_second_later()
    assert set(all_sizes()) == {None}
    assert len(list(list_sizes.count_missing())) == 6  # 22 items, of which 6 were counted
    assert not stamping.has_pending()
    check_all()


def test_after_stamps_of_an_older_release_all_is_counted_again(
    ten_books: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(list_sizes, "add", lambda *_arguments: None)
        ten_books.put("c", "n10", record("10", title="十冊目の本"))
        aggregate_a_second_later()
    assert list_sizes.size(EVERYTHING) == 20
    ten_books.put("c", "n11", record("11", title="十一冊目の本"))
    aggregate_a_second_later()
    check_all()
    assert list_sizes.size(EVERYTHING) == 22  # both records belong to books that are there


def test_changes_that_an_older_release_took_over_are_in_the_blocks(ten_books: Shelf) -> None:
    ResourceBlock.objects.update(live=99)
    ResourceClock.objects.update(blocks=None)
    assert blocks.parts(MERGED) == blocks.grouped(MERGED) != []
    aggregate()
    check_all()


def test_the_size_of_a_span_is_known_or_left_out(ten_books: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    for stamp, item in enumerate(Provided.objects.order_by("pk"), 1):
        Provided.objects.filter(pk=item.pk).update(stamp=stamp)
    everything, end, middle = Span(until=2**40), Span(from_=17, until=2**40), Span(from_=7, until=14)
    for most in (100, 5):
        monkeypatch.setattr(listing, "MOST_COUNTED", most)
        assert listing.size(everything) == 20
        assert listing.size(Span(from_=3, until=19)) == 17
        assert listing.size(end) == 4
        assert listing.size(middle) == (8 if most == 100 else None)
    ListCounting.objects.all().delete()
    assert listing.size(everything) is None
    assert listing.size(end) == 4
    assert listing.size(Span(until=2**40, part=Part(parts=(EVERYTHING, Part(type="Map"))))) is None


def test_a_list_of_unknown_size_is_sent_without_it(
    ten_books: Shelf, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_COUNTED", 5)
    monkeypatch.setattr(lists, "PAGE_SIZES", {"ListIdentifiers": 8})
    ListCounting.objects.all().delete()
    query, tokens, names = "metadataPrefix=dcndl", [], []
    while query:
        root = etree.fromstring(client.get(f"/oai?verb=ListIdentifiers&{query}").content)
        names += [node.text for node in root.iter("{*}identifier")]
        tokens.append(root.find(".//{*}resumptionToken"))
        query = f"resumptionToken={tokens[-1].text}" if tokens[-1].text else ""
    assert len(names) == len(set(names)) == 20
    assert [dict(token.attrib) for token in tokens] == [{"cursor": "0"}, {"cursor": "8"}, {"cursor": "16"}]


def test_sizes_and_blocks_are_read_without_counting_rows(ten_books: Shelf) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert listing.size(Span(until=2**40)) == 20
        assert len(blocks.parts(MERGED)) > 2
    statements = [query["sql"] for query in queries if '"aggregator_' not in query["sql"]]
    assert all("LIMIT" in statement for statement in statements)
