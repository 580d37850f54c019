"""The saved list of a reader: its page, its records, its files."""

import json

import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.presentation.book_files import FILES
from aggregator.views import site_context
from harvesting.models import Repository
from metadata.record import Title
from tests.aggregator.views.shelf import KOKORO

ISBN = "978-4-00-310111-7"
DC = {"dc": "http://purl.org/dc/elements/1.1/"}


@pytest.fixture
def ids(shelf, library, archive) -> list[str]:
    """Two books; the first has two records."""
    first, again, other = shelf.record(library), shelf.record(archive), shelf.record(library)
    shelf.book(first, again)
    shelf.book(other, record=structs.replace(KOKORO, titles=(Title(value="道草"),)))
    return [other.public_id, first.public_id, again.public_id]


def export(client, ids: list[str], name: str):
    answer = client.post("/list/export", {"id": ids, "format": name})
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment")
    return answer.content


def test_the_page_explains_that_it_needs_javascript(client, shelf):
    assert "<noscript>" in client.get("/list").text


def test_books_are_shown_once_in_the_order_of_the_list(client, ids):
    page = client.post("/list/records", {"id": ids}).text
    assert page.count('class="hit"') == 2
    assert page.index("道草") < page.index("こころ")


def test_every_record_has_a_button_to_remove_it(client, ids):
    page = client.post("/en/list/records", {"id": ids}).text
    assert page.count("Remove from my list") == 2
    assert page.count('aria-label="At the libraries"') == 2


def test_deleted_and_unknown_records_are_named(client, shelf, library, ids):
    gone = shelf.record(library, deleted=True, record=None)
    page = client.post("/en/list/records", {"id": [*ids, gone.public_id, "R900000001-Inever"]}).text
    assert page.count('class="hit"') == 2
    assert gone.public_id in page
    assert "R900000001-Inever" in page


def test_the_list_as_ris_and_bibtex_has_each_book_once(client, ids):
    assert export(client, ids, "ris").decode().count("TY  - BOOK") == 2
    bibtex = export(client, ids, "bibtex").decode()
    assert bibtex.count("@book{") == 2
    assert "道草" in bibtex


def test_csl_json_is_one_array_and_dublin_core_one_document(client, ids):
    items = json.loads(export(client, ids, "csl"))
    assert [item["title"] for item in items] == ["道草", "こころ"]
    assert etree.fromstring(export(client, ids, "oai_dc")).xpath("//dc:title/text()", namespaces=DC)[:1] == [
        "道草. — 改版"
    ]


@pytest.mark.parametrize("name", list(FILES))
def test_an_empty_list_can_be_downloaded(client, shelf, name):
    export(client, [], name)


@pytest.mark.parametrize(
    "values",
    [{"id": "x", "format": "ris"}, {"id": "R900000001-Ia", "format": "pdf"}, {"id": ["R900000001-I<b>"]}],
)
def test_bad_ids_and_formats_are_refused(client, shelf, values):
    assert client.post("/list/export", values).status_code == 400


def test_the_length_of_a_list_is_limited(client, shelf):
    ids = [f"R900000001-I{number}" for number in range(site_context.LIST_LIMIT + 1)]
    assert client.post("/list/records", {"id": ids}).status_code == 400
    assert client.post("/list/records", {"id": ids[1:]}).status_code == 200


def test_requests_without_a_csrf_token_are_refused(shelf):
    assert Client(enforce_csrf_checks=True).post("/list/records", {}).status_code == 403


def test_the_number_of_queries_does_not_grow_with_the_list(client, ids, django_assert_max_num_queries):
    with django_assert_max_num_queries(8):
        client.post("/list/export", {"id": [*ids, *(f"R900000001-I{number}" for number in range(50))], "format": "ris"})


def test_a_table_has_a_row_for_each_book_and_no_formulas(client, ids):
    lines = export(client, ids, "csv").decode("utf-8-sig").splitlines()
    assert len(lines) == 3
    assert lines[1].startswith('"道草"')
    assert f'"{ISBN}"' in lines[2]


def test_references_are_lines_of_text(client, ids):
    [first, second] = export(client, ids, "sist02").decode().splitlines()
    assert "夏目漱石" in first
    assert "道草" in first
    assert "こころ" in second


@pytest.mark.parametrize("name", [name for name, file in FILES.items() if file.ending in {"xml", "rdf"}])
def test_every_xml_file_of_a_list_is_one_document_of_all_books(client, ids, name):
    root = etree.fromstring(export(client, ids, name))
    text = etree.tostring(root, encoding="unicode")
    assert "道草" in text
    assert "こころ" in text


def test_json_files_of_a_list_are_arrays(client, ids):
    assert [len(json.loads(export(client, ids, name))) for name in ("csl", "jsonld")] == [2, 2]


def test_a_list_contains_only_for_the_reader_what_may_not_be_redistributed(client, ids, library, archive):
    Repository.objects.update(give_on=False)
    assert len(etree.fromstring(export(client, ids, "oai_dc"))) == 0
    assert export(client, ids, "ris").count(b"TY  - ") == 2
    Repository.objects.filter(pk=archive.pk).update(give_on=True)
    assert len(etree.fromstring(export(client, ids, "dcndl")).findall("{*}BibAdminResource")) == 1


def test_a_shared_list_is_a_page_that_needs_no_javascript(client, ids):
    page = client.get("/en/list", {"id": ids}).text
    assert page.count('class="hit"') == 2
    assert page.index("道草") < page.index("こころ")
    assert "Somebody made this list" in page
    assert client.get("/list", {"id": "<x>"}).status_code == 400


def test_former_ids_are_named_so_that_notes_can_follow(client, ids):
    page = client.post("/list/records", {"id": ids}).text
    assert page.count("data-former") == 3
