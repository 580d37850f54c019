"""Use is counted in memory, without robots, written in batches, and later attributed to providers and libraries."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from aggregator.models import UseCount
from aggregator.statistics import use
from aggregator.statistics.use import FULL_TEXT, WRITE_SECONDS, UseCounter, is_of_a_person
from aggregator.statistics.use_days import DAYS_KEPT, MONTHS_KEPT, months_of, settle

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
ROBOTS = [
    "",
    "curl/8.5.0",
    "python-requests/2.32",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
]


@pytest.mark.parametrize("program", ROBOTS)
def test_robots_are_left_out(program):
    assert not is_of_a_person("GET", {"User-Agent": program})


def test_browsers_count_unless_they_fetch_ahead():
    assert is_of_a_person("GET", {"User-Agent": FIREFOX})
    assert not is_of_a_person("HEAD", {"User-Agent": FIREFOX})
    assert not is_of_a_person("GET", {"User-Agent": FIREFOX, "Sec-Purpose": "prefetch;prerender"})


@pytest.fixture
def reader(rf):
    return rf.get("/", headers={"User-Agent": FIREFOX})


@pytest.fixture
def held(shelf, library):
    """A book of one provider that one library holds."""
    city = shelf.library("市立図書館", "100001")
    book = shelf.book(shelf.record(library), libraries=[city])
    return book, city


def rows() -> dict[tuple[str, int], tuple[int, int]]:
    return {(row.kind, row.number): (row.opened, row.followed) for row in UseCount.objects.all()}


def test_counts_are_written_once_a_minute(held, reader, django_assert_num_queries):
    book, _city = held
    seconds = [0.0]
    counter = UseCounter(clock=lambda: seconds[0])
    with django_assert_num_queries(0):
        for _view in range(3):
            counter.count(reader, f"M{book.pk}")
    seconds[0] = WRITE_SECONDS
    counter.count(reader, f"M{book.pk}")
    assert rows() == {("all", 0): (4, 0), ("book", book.pk): (4, 0)}


def test_a_page_under_the_id_of_a_record_is_that_of_its_book(held, reader):
    book, _city = held
    counter = UseCounter()
    counter.count(reader, book.members.get().source_record.public_id)
    counter.write()
    assert rows()["book", book.pk] == (1, 0)


def test_links_are_counted_for_those_that_they_lead_to(held, reader, library):
    book, city = held
    counter = UseCounter()
    for target in (f"L{city.pk}", library.number, FULL_TEXT):
        counter.count(reader, f"M{book.pk}", target)
    counter.write()
    assert rows() == {
        ("all", 0): (0, 3),
        ("library", city.pk): (0, 1),
        ("provider", library.pk): (0, 1),
        ("book", book.pk): (0, 1),
    }


@pytest.mark.parametrize("target", ["L999999", "L²", "R999999999", "x", "L" + "9" * 40])
def test_a_link_that_the_book_does_not_have_is_not_counted(held, reader, target):
    counter = UseCounter()
    counter.count(reader, f"M{held[0].pk}", target)
    counter.count(reader, "M999999999", FULL_TEXT)
    counter.write()
    assert rows() == {}


def test_a_flood_of_different_books_does_not_fill_the_memory(db, reader, monkeypatch):
    monkeypatch.setattr(use, "MOST", 10)
    counter = UseCounter()
    for number in range(1, 100):
        counter.count(reader, f"M{number}")
    assert len(counter._counts) == 10


def test_counts_are_kept_while_the_database_is_locked(held, reader, monkeypatch):
    counter = UseCounter()
    counter.count(reader, f"M{held[0].pk}")

    def locked(*_arguments):
        raise DatabaseError

    with monkeypatch.context() as patched:
        patched.setattr(use, "add", locked)
        counter.write()
    counter.write()
    assert rows()["all", 0] == (1, 0)


def test_the_use_of_a_past_day_goes_to_the_providers_and_libraries_of_the_book(held, library):
    book, city = held
    yesterday = timezone.localdate() - timedelta(days=1)
    UseCount.objects.create(kind="book", number=book.pk, day=yesterday, opened=5, followed=2)
    UseCount.objects.create(kind="book", number=book.pk, day=timezone.localdate(), opened=1)
    settle(timezone.now())
    assert rows() == {("provider", library.pk): (5, 2), ("library", city.pk): (5, 0), ("book", book.pk): (1, 0)}


def test_old_days_become_months_and_old_months_are_deleted(db):
    now = datetime(2026, 6, 15, 12, tzinfo=UTC)
    for day in (date(2026, 1, 1), date(2026, 1, 7), date(2026, 1, 31), date(2026, 6, 14), date(2020, 1, 5)):
        UseCount.objects.create(kind="all", day=day, opened=2, followed=1)
    settle(now)
    assert list(UseCount.objects.order_by("day").values_list("day", "opened", "followed")) == [
        (date(2026, 1, 1), 6, 3),
        (date(2026, 6, 14), 2, 1),
    ]
    assert [(row.month, row.opened) for row in months_of("all")] == [(date(2026, 1, 1), 6), (date(2026, 6, 1), 2)]


def test_the_rows_of_a_provider_are_few(library):
    now = datetime(2026, 6, 15, 12, tzinfo=UTC)
    days = [now.date() - timedelta(days=back) for back in range(1, 366 * 5, 3)]
    UseCount.objects.bulk_create(UseCount(kind="provider", number=library.pk, day=day, opened=1) for day in days)
    settle(now)
    assert UseCount.objects.count() <= DAYS_KEPT + 31 + MONTHS_KEPT
