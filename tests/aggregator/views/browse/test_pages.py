"""The pages by which readers browse."""

import pytest
from django.utils import timezone

from aggregator.browse.addresses import heading_path
from aggregator.browse.counting import count_headings
from aggregator.browse.kinds import PUBLISHER, SUBJECT
from aggregator.browse.subject_lists import replace_list
from aggregator.models import Heading, HeadingRun
from aggregator.search.base import IndexUnavailable
from metadata.record import Agent, BibliographicRecord, Subject, Title
from tests.aggregator.browse.conftest import HARARI, HARARI_JA, SOSEKI
from tests.stored_once import stored_once

NAMES = ("authors", "subjects", "publishers", "places", "series")
PATHS = ("", *(f"{name}/" for name in NAMES), "ndc/", "ndc/9", "ndc/91", "new")
OTHERS = [("subjects", "猫"), ("publishers", "岩波書店"), ("places", "東京"), ("series", "岩波文庫")]
LIMITS = [("", 12), ("authors/?letter=ア", 8), ("authors/作家1", 20), ("ndc/", 8)]


@pytest.fixture
@stored_once
def books(shelf, library):
    for number in range(3):
        record = BibliographicRecord(
            titles=(Title(value=f"こころ{number}"),),
            creators=(SOSEKI, HARARI if number else HARARI_JA),
            subjects=(
                Subject(value="猫", uri="http://id.ndl.go.jp/auth/ndlsh/00568450"),
                Subject(value="913.6", scheme="NDC9"),
            ),
            publishers=(Agent(name="岩波書店", location="東京"),),
            series=(Title(value="岩波文庫 ; 10"),),
            issued=f"201{number}",
        )
        shelf.book(shelf.record(library, record), record=record)
    list(count_headings())


def get(client, path: str):
    return client.get(path, headers={"Accept-Language": "en"})


@pytest.mark.parametrize("path", PATHS)
def test_every_page_answers_with_and_without_books(client, db, path, request):
    assert get(client, f"/browse/{path}").status_code == 200
    request.getfixturevalue("books")
    assert get(client, f"/browse/{path}").status_code == 200


def test_a_list_without_headings_says_so(client, shelf, library):
    record = BibliographicRecord(titles=(Title(value="こころ"),))
    shelf.book(shelf.record(library, record), record=record)
    list(count_headings())
    text = get(client, "/browse/people/").text
    assert "no record names a person or an organisation with an identifier" in text
    assert 'class="jump"' not in text
    assert "So far no record has such a heading." in get(client, "/browse/series/").text
    assert 'id="way-' not in get(client, "/browse/").text  # and the page of all ways does not lead there


def test_the_page_of_ways_leads_to_the_largest_headings(client, books):
    text = get(client, "/browse/").text
    for path in (heading_path("夏目, 漱石"), heading_path("猫", SUBJECT), heading_path("岩波書店", PUBLISHER)):
        assert f'href="{path}"' in text
    assert "Counted from 3 titles" in text


def test_a_persons_page_has_names_identifiers_years_and_books(client, books):
    page = get(client, heading_path("Harari, Yuval N."))
    assert page.context["total"] == 3
    assert "ハラリ, ユヴァル・ノア" in page.text
    assert 'href="https://viaf.org/viaf/98268072"' in page.text
    assert "2010–2012" in page.text
    assert len(page.context["hits"]) == 3
    assert f'href="{heading_path("猫", SUBJECT)}"' in page.text


def test_another_form_of_a_name_leads_to_the_same_page(client, books):
    answer = get(client, heading_path("ハラリ, ユヴァル・ノア"))
    assert (answer.status_code, answer["Location"]) == (302, heading_path("Harari, Yuval N."))
    assert get(client, heading_path("夏目漱石"))["Location"] == heading_path("夏目, 漱石")


@pytest.mark.parametrize(("path", "name"), OTHERS)
def test_every_kind_of_heading_has_a_page_with_its_books(client, books, path, name):
    assert get(client, f"/browse/{path}/{name}").context["total"] == 3


def test_a_subject_leads_to_web_ndl_authorities_and_to_what_a_list_says(client, books):
    replace_list("NDLSH", [("猫", "broader", "ペット")])
    text = get(client, "/browse/subjects/猫").text
    assert 'href="https://id.ndl.go.jp/auth/ndlsh/00568450"' in text
    assert "<h2>Broader</h2>" in text
    assert "ペット" in text
    assert get(client, "/browse/subjects/ペット").status_code == 200


def test_a_book_that_was_not_counted_yet_is_on_the_page_of_its_author(client, shelf, library):
    record = BibliographicRecord(titles=(Title(value="新刊"),), creators=(Agent(name="新人"),))
    shelf.book(shelf.record(library, record), record=record)
    assert get(client, "/browse/authors/新人").context["total"] == 1


@pytest.mark.parametrize(
    "path",
    [
        *("/browse/authors/nobody", "/browse/names/", "/browse/ndc/913", "/browse/ndc/x", "/browse/authors/?letter=x"),
        *("/browse/authors/?from=a&row=-1", "/browse/authors/?from=a&row=99999999999", "/browse/authors/?from=%00"),
        *("/browse/new?after=%FF", "/browse/new?after=bm9uc2Vuc2U", "/browse/authors/%00"),
    ],
)
def test_what_does_not_exist_is_not_found(client, books, path):
    assert get(client, path).status_code == 404


def test_a_list_shows_the_headings_of_a_letter_and_another_form_as_such(client, books):
    text = get(client, "/browse/authors/?letter=ハ").text
    assert "another form of the name" in text
    assert "夏目" not in text
    assert "夏目, 漱石" in get(client, "/browse/authors/?from=なつ").text


def test_classes_have_names_and_counts(client, books):
    text = get(client, "/browse/ndc/").text
    assert "Japanese literature" in text
    assert 'href="/browse/ndc/91"' in text
    assert 'href="/search?ndc=913"' in get(client, "/browse/ndc/91").text


def test_new_books_come_page_by_page(client, books, monkeypatch):
    monkeypatch.setattr("aggregator.views.browse.pages.NEW", 2)
    page = get(client, "/browse/new")
    first = [hit.book.number for hit in page.context["hits"]]
    second = [hit.book.number for hit in get(client, page.context["after"]).context["hits"]]
    assert (len(first), len(second)) == (2, 1)
    assert first + second == sorted(first + second, reverse=True)


def test_without_the_index_headings_are_still_there(client, books, monkeypatch):
    def search(*_arguments, **_named):
        raise IndexUnavailable("damaged")

    for page in ("heading", "pages"):
        monkeypatch.setattr(f"aggregator.views.browse.{page}.search", search)
    text = get(client, heading_path("夏目, 漱石")).text
    assert "The titles cannot be listed right now" in text
    assert "ナツメ, ソウセキ" in text
    assert "The titles cannot be listed right now" in get(client, "/browse/new").text


@pytest.mark.parametrize(("path", "most"), LIMITS)
def test_the_queries_of_a_page_do_not_grow_with_the_catalogue(
    client, shelf, library, path, most, django_assert_max_num_queries
):
    record = BibliographicRecord(titles=(Title(value="本"),), creators=(Agent(name="作家1"),))
    shelf.book(shelf.record(library, record), record=record)
    run = HeadingRun.objects.create(started_at=timezone.now(), finished_at=timezone.now(), letters={"c": {"ア": 2000}})
    Heading.objects.bulk_create(
        Heading(
            run=run.pk,
            kind="c",
            code=f"c作家{number}",
            label=f"作家{number}",
            key=f"アア{number:04}",
            letter="ア",
            books=1,
        )
        for number in range(2000)
    )
    with django_assert_max_num_queries(most):
        assert get(client, f"/browse/{path}").status_code == 200
