"""The lists of duplicates and of suspect ISBNs: how much is read for one page."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.grouping.inspection import duplicate_pages
from aggregator.grouping.inspection.duplicate_pages import same_books, suspect_isbns
from aggregator.models import MatchAlarm
from tests.aggregator.views.records_with_issues import harvested, live, provider

pytestmark = pytest.mark.django_db
TITLES = ("料理入門", "日本の鉄道", "庭の草花", "天文学事典")
ISBNS = ("9784101010014", "9784003101018", "9784061594814", "9784120000010", "9784480000019")


def with_wrong_isbns(isbns: tuple[str, ...]) -> int:
    """A provider whose records have each of these ISBNs under all TITLES; returns its id."""
    feed = provider()
    records = (
        live(f"{isbn}{title}", isbn=isbn, title=title, creator=f"{title}著者") for isbn in isbns for title in TITLES
    )
    harvested(feed, *records)
    MatchAlarm.objects.all().delete()  # so that only the titles tell
    return feed.repository_id


def test_isbns_of_several_titles_are_found_without_an_alarm():
    page = suspect_isbns([with_wrong_isbns(ISBNS[:2])])
    assert [row.isbn for row in page.rows] == sorted(ISBNS[:2])
    assert {len(row.records) for row in page.rows} == {len(TITLES)}


def test_the_queries_do_not_grow_with_the_isbns():
    few, many = statements(ISBNS[:1]), statements(ISBNS[1:])
    assert few == many


def statements(isbns: tuple[str, ...]) -> int:
    owner = with_wrong_isbns(isbns)
    with CaptureQueriesContext(connection) as taken:
        assert {row.isbn for row in suspect_isbns([owner]).rows} == set(isbns)
    return len(taken)


def test_an_isbn_of_a_single_description_costs_no_look_at_records():
    feed = provider()
    harvested(feed, *(live(f"{number}", isbn=ISBNS[number], title=TITLES[number]) for number in range(4)))
    with CaptureQueriesContext(connection) as taken:
        assert not suspect_isbns([feed.repository_id]).rows
    assert not [query["sql"] for query in taken if "harvesting_sourcerecord" in query["sql"]]


@pytest.mark.parametrize(("most_own", "complete"), [(100, True), (2, False)])
def test_the_duplicates_of_a_provider_with_few_records_are_on_one_page(monkeypatch, most_own, complete):
    monkeypatch.setattr(duplicate_pages, "LOOKED_AT", 3)
    monkeypatch.setattr(duplicate_pages, "MOST_OWN", most_own)
    feed = provider()
    harvested(
        feed,
        *(
            live(f"{title}{copy}", isbn=isbn, title=title)
            for title, isbn in zip(TITLES, ISBNS, strict=False)
            for copy in "ab"
        ),
    )
    page = same_books(feed.repository_id)
    assert (len(page.rows) == len(TITLES), page.after == 0) == (complete, complete)
    found = list(page.rows)
    while page.after:
        page = same_books(feed.repository_id, page.after)
        found += page.rows
    assert len(found) == len(TITLES)
