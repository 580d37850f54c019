"""The page of statistics, its files, the counter of links, and the parts on the pages of providers and libraries."""

import csv
import io
from datetime import date
from itertools import product

import msgspec
import pytest
from django.utils import timezone

from aggregator.models import ContentFigures, UseCount
from aggregator.statistics.contents import count_contents
from aggregator.statistics.crossed import PROPERTIES
from aggregator.statistics.use import UseCounter
from aggregator.views.statistics.files import TABLES
from metadata.record import License, Subject
from tests.aggregator.views.shelf import KOKORO

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
NOVEL = msgspec.structs.replace(
    KOKORO,
    subjects=(Subject(scheme="NDC9", value="913.6"),),
    licenses=(License(uri="https://creativecommons.org/licenses/by/4.0/"),),
)


@pytest.fixture
def counted(shelf, library):
    """A book of one provider that one library holds, counted."""
    city = shelf.library("市立図書館", "100001", prefecture="13")
    book = shelf.book(shelf.record(library, NOVEL), record=NOVEL, libraries=[city])
    for kind, number in (("all", 0), ("provider", library.pk), ("library", city.pk)):
        UseCount.objects.create(kind=kind, number=number, day=date(2026, 5, 3), opened=7, followed=2)
    count_contents(timezone.now())
    return book, city


@pytest.fixture
def counter(monkeypatch):
    """A counter of this test only."""
    made = UseCounter()
    for module in ("aggregator.views.public.books", "aggregator.views.statistics.followed"):
        monkeypatch.setattr(f"{module}.USE", made)
    return made


def table(client, name: str) -> list[list[str]]:
    text = client.get(f"/statistics/{name}.csv").getvalue().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def test_the_page_shows_the_counts_with_a_table_behind_each_plot(client, counted):
    page = client.get("/en/statistics/").content.decode()
    assert "Counted on" in page
    assert (page.count('<svg class="field"'), page.count("As a table</summary>")) == (5, 4)
    assert 'role="group" aria-label="Type of material × Decade of publication" tabindex="0"><table' in page
    assert 'aria-label="1980s: 1"' in page
    assert "cc-by" in page


def test_a_site_without_figures_says_so(client, db):
    assert "Nothing has been counted yet" in client.get("/en/statistics/").content.decode()


def test_the_page_counts_nothing_itself(client, counted, shelf, library, django_assert_max_num_queries):
    for _number in range(5):
        shelf.book(shelf.record(library))
    with django_assert_max_num_queries(12):
        page = client.get("/en/statistics/").content.decode()
    assert "<b>1</b> title" in page


def test_every_file_has_its_columns(client, counted):
    for name, (columns, _rows) in TABLES.items():
        assert table(client, name)[0] == list(columns), name


def test_the_files_have_the_counts(client, counted, library):
    _book, city = counted
    assert table(client, "class-years")[1:] == [["9", "1989", "1"]]
    assert table(client, "provider-licences")[1:] == [[library.number, "cc-by", "1"]]
    assert table(client, "provider-type-licences")[1:] == [[library.number, "Book", "cc-by", "1"]]
    assert table(client, "library-type-decades")[1:] == [[f"L{city.pk}", "Book", "1980", "1"]]
    assert table(client, "provider-libraries")[1:] == [[library.number, f"L{city.pk}", "1"]]
    assert table(client, "library-use")[1:] == [[f"L{city.pk}", "2026-05", "7", "2"]]
    assert client.get("/statistics/passwords.csv").status_code == 404


def test_a_provider_that_is_not_listed_is_in_no_file(client, counted, library):
    library.state = "trial"
    library.save()
    assert table(client, "providers")[1:] == table(client, "provider-types")[1:] == []


def test_the_counts_as_json(client, counted):
    answer = client.get("/statistics.json").json()
    assert (answer["books"], answer["types"], answer["type_licences"]) == (1, {"Book": 1}, {"Book": {"cc-by": 1}})
    assert answer["use"] == [{"month": "2026-05", "opened": 7, "followed": 2}]


def test_all_five_properties_are_crossed_in_one_table(client, counted, library):
    _book, city = counted
    header, *cells = table(client, "crossed")
    assert header == ["type", "provider", "library", "decade", "licence", "books"]
    assert ["Book", library.number, f"L{city.pk}", "1980", "cc-by", "1"] in cells
    assert ["*", "*", "*", "1980", "cc-by", "1"] in cells
    assert len(cells) == 8


@pytest.mark.parametrize(
    ("rows", "columns"), [pair for pair in product(PROPERTIES, repeat=2) if pair[0] != pair[1]], ids="-".join
)
def test_any_two_properties_make_a_table_that_the_others_limit(client, counted, shelf, library, archive, rows, columns):
    _book, city = counted
    shelf.book(shelf.record(archive), record=KOKORO)
    count_contents(timezone.now())
    codes = {"type": "Book", "provider": library.number, "library": f"L{city.pk}", "decade": "1980", "licence": "cc-by"}
    answer = client.get("/statistics/crossed.json", {"rows": rows, "columns": columns}).json()
    assert answer["books"] == 2 and sum(cell["books"] for cell in answer["counts"]) == 2
    limits = {name: code for name, code in codes.items() if name not in (rows, columns)}
    answer = client.get("/statistics/crossed.json", {"rows": rows, "columns": columns, **limits}).json()
    assert answer["limits"] == limits
    assert answer["counts"] == [{rows: codes[rows], columns: codes[columns], "books": 1}]
    page = client.get("/en/statistics/", {"rows": rows, "columns": columns, **limits}).content.decode()
    assert page.count(" selected>") == 5 and '<td class="figure">1</td>' in page


def test_earlier_decades_are_named_by_their_last_year(client, counted, shelf, library):
    for year in ("1889", "1935"):
        shelf.book(shelf.record(library), record=msgspec.structs.replace(KOKORO, issued=year))
    count_contents(timezone.now())
    page = client.get("/en/statistics/").content.decode()
    assert 'aria-label="until 1929: 1"' in page and 'aria-label="1930s: 1"' in page


def test_totals_count_a_book_of_several_providers_once(client, counted, shelf, library, archive):
    shelf.book(shelf.record(library), shelf.record(archive), record=KOKORO)
    count_contents(timezone.now())
    answer = client.get("/statistics/crossed.json?rows=provider&columns=type").json()
    assert answer["books"] == 2
    assert sorted(cell["books"] for cell in answer["counts"]) == [1, 2]


@pytest.mark.parametrize(
    "query", ["rows=x&columns=y", "rows=type&columns=type", "library=L99999999", "type=%00&decade=<b>"]
)
def test_what_no_table_has_is_left_out(client, counted, query):
    answer = client.get(f"/statistics/crossed.json?{query}").json()
    assert (answer["rows"], answer["limits"], answer["books"]) == ("type", {}, 1)
    assert client.get(f"/en/statistics/?{query}").status_code == 200


def test_a_provider_that_is_not_listed_any_more_is_in_no_table(client, counted, library):
    library.state = "trial"
    library.save()
    assert library.number not in {cell[1] for cell in table(client, "crossed")}
    answer = client.get("/statistics/crossed.json?rows=provider&columns=type").json()
    assert answer["counts"] == []


def test_a_site_without_figures_has_empty_tables(client, db):
    assert table(client, "crossed")[1:] == []
    assert client.get("/statistics/crossed.json").json() == {"books": 0, "counts": []}


def test_a_provider_and_a_library_show_their_own(client, counted, library):
    _book, city = counted
    for path in (f"/en/repositories/{library.number}", f"/en/libraries/L{city.pk}"):
        page = client.get(path).content.decode()
        assert "1 title, counted on" in page
        assert 'aria-label="2026-05: 7"' in page
        assert "Year of publication and type" in page
    ContentFigures.objects.all().delete()
    assert "counted on" not in client.get(f"/en/repositories/{library.number}").content.decode()


def test_types_and_licences_are_crossed_where_there_are_several_licences(client, counted, shelf, library):
    shelf.book(shelf.record(library))
    count_contents(timezone.now())
    page = client.get(f"/en/repositories/{library.number}").content.decode()
    assert '<th scope="row">Book</th><td class="figure">1</td><td class="figure">1</td>' in page


def test_a_book_page_is_counted_and_a_missing_one_is_not(client, counted, counter):
    book, _city = counted
    for path in (f"/books/M{book.pk}", "/books/M999999", f"/books/M{book.pk}.json"):
        client.get(path, headers={"User-Agent": FIREFOX})
    client.get(f"/books/M{book.pk}", headers={"User-Agent": "Googlebot/2.1"})
    counter.write()
    assert UseCount.objects.get(kind="book").opened == 1


def test_a_followed_link_is_counted(client, counted, counter):
    book, city = counted
    page = client.get(f"/books/M{book.pk}").content.decode()
    link = f"M{book.pk} L{city.pk}"
    assert f'data-follow="{link}"' in page
    answer = client.post("/statistics/followed", link, "text/plain", headers={"User-Agent": FIREFOX})
    counter.write()
    assert (answer.status_code, answer.cookies) == (204, {})
    assert UseCount.objects.get(kind="library", day=timezone.localdate()).followed == 1


@pytest.mark.parametrize("text", ["", "M1", "M1 L1 x", "M1 <b>", "M1 L１", "M" * 500])
def test_what_is_no_link_is_refused(client, db, counter, text):
    assert client.post("/statistics/followed", text, "text/plain").status_code == 400
    assert not counter._counts
