"""The JSON interface and its OpenAPI document agree: every answer has the documented shape."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from msgspec import structs
from openapi_spec_validator import validate

from aggregator.provision.api.operations import OPERATIONS
from aggregator.provision.api.parameters import SEARCH
from aggregator.provision.api.problems import TITLES
from aggregator.provision.api.pushing import SENDINGS
from aggregator.query.parameters import EXCLUDING, MACHINE_PARAMETERS, PARAMETERS
from aggregator.search import get_index
from aggregator.search.documents import Holders
from aggregator.search.documents import document as document_of
from metadata.record import Item
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO, harvest


@pytest.fixture
def document(client, db):
    return client.get("/api/openapi.json", headers={"accept-language": "en"}).json()


def check(document, answer, name):
    """Validate an answer against the schema with this name."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(answer.json())


def test_the_document_is_openapi_3_1(document):
    validate(document)
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == {operation.path for operation in (*OPERATIONS, *SENDINGS)}


def test_every_parameter_of_the_search_is_described(document):
    described = {operation["name"] for operation in document["paths"]["/api/search"]["get"]["parameters"]}
    assert described == set(PARAMETERS) | set(MACHINE_PARAMETERS) | set(EXCLUDING)
    assert set(SEARCH) == set(PARAMETERS) | set(MACHINE_PARAMETERS)


def test_every_problem_of_an_operation_has_a_title():
    assert {kind for operation in OPERATIONS for kind in operation.kinds} <= set(TITLES)


def test_answers_match_the_schemas_of_the_document(client, document, shelf, library, archive):
    record_with_item = structs.replace(
        KOKORO, items=(Item(holding_agent="中央図書館", see_also=("https://example.jp/1",)),)
    )
    source = shelf.record(library, record_with_item)
    shelf.book(source, shelf.record(archive), record=record_with_item)
    harvest(library)
    check(document, client.get("/api/search", {"q": "こころ"}), "Found")
    check(document, client.get(f"/api/records/{source.public_id}"), "Merged")
    check(document, client.get(f"/api/records/{source.public_id}?source=1"), "Source")
    check(document, client.get("/api/repositories"), "Providers")
    check(document, client.get("/api/repositories/R900000001"), "Provider")
    for path in ("/api/search?size=0", "/api/nowhere", "/api/records/R900000001-Inone", "/api/usage"):
        check(document, client.get(path), "Problem")


def test_a_merged_record_comes_with_its_members_and_formats(client, shelf, library, archive):
    source, other = shelf.record(library), shelf.record(archive)
    shelf.book(source, other)
    for number in (book_id(source), source.public_id, other.public_id):
        answer = client.get(f"/api/records/{number}").json()
        assert (answer["id"], answer["record"]["issued"]) == (book_id(source), "1989")
        assert [operation["id"] for operation in answer["members"]] == [source.public_id, other.public_id]
        assert client.get(answer["formats"]["oai_dc"].removeprefix("http://127.0.0.1:8000")).status_code == 200
    source_record = client.get(f"/api/records/{other.public_id}?source=1").json()
    assert (source_record["repository"], source_record["identifier"]) == ("R900000002", other.identifier)


def test_records_that_may_not_be_redistributed_are_refused(client, shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    library.give_on = False
    library.save()
    for query in ("", "?source=1"):
        answer = client.get(f"/api/records/{source.public_id}{query}")
        assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
    assert client.get("/api/search").json()["total"] == 0


def test_a_deleted_record_is_answered_with_410(client, shelf, library):
    source = shelf.record(library, deleted=True)
    assert client.get(f"/api/records/{source.public_id}?source=1").status_code == 410
    assert client.get(f"/api/records/{source.public_id}").status_code == 410


def test_providers_come_page_by_page(client, library, archive):
    first = client.get("/api/repositories?size=1").json()
    second = client.get("/api/repositories", {"size": "1", "cursor": first["next"]}).json()
    assert [operation["repositories"][0]["number"] for operation in (first, second)] == ["R900000001", "R900000002"]
    assert (first["total"], second["next"]) == (2, None)


def test_dates_of_change_narrow_a_search(client, shelf, library):
    book = shelf.book(shelf.record(library))
    get_index().update([document_of(book.pk, KOKORO, Holders((library.number,)), changed=1_775_001_600)])  # 2026-04-01
    for query, total in (
        ("from=2026-04-01", 1),
        ("from=2026-04-02", 0),
        ("until=2026-04-01", 1),
        ("until=2026-03-31", 0),
    ):
        assert client.get(f"/api/search?changed_{query}").json()["total"] == total
    assert client.get("/api/search?sort=changed").json()["total"] == 1
    assert client.get("/search?sort=changed").status_code == 400


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("/api/search?colour=red", "colour"),
        ("/api/search?changed_from=yesterday", "changed_from"),
        ("/api/records/R900000001-Ia?format=xml", "format"),
        ("/api/records/R900000001-Ia?source=2", "source"),
        ("/api/repositories?size=1000", "size"),
        ("/api/repositories?cursor=%C3%A4", "cursor"),
        ("/api/repositories?size=1&size=2", "size"),
    ],
)
def test_a_problem_names_the_parameter_and_the_reason(client, shelf, path, parameter):
    for language in ("ja", "en"):
        answer = client.get(path, headers={"accept-language": language})
        problem = answer.json()
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
        assert (problem["parameter"], problem["status"]) == (parameter, 400)
        assert problem["type"] == "http://127.0.0.1:8000/api/docs#parameter"
        assert problem["detail"]


def test_errors_of_the_framework_are_problems_as_well(client, db):
    assert client.get("/api/nowhere").json()["status"] == 404
    answer = client.post("/api/search")
    assert (answer.json()["status"], "GET" in answer["Allow"]) == (405, True)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_documentation_lists_all_operations_and_problems(client, db, language):
    page = client.get("/api/docs", headers={"accept-language": language}).text
    assert all(operation.path in page for operation in OPERATIONS)
    assert all(f'id="{kind}"' in page for kind in TITLES)
    assert all(f"{sending.method.upper()} {sending.path}" in page for sending in SENDINGS)
    assert all(str(sending.described.split(";")[0]) in page for sending in SENDINGS)
    assert 'id="shape-PushReport"' in page and "Idempotency-Key" in page
    assert 'src="http' not in page


class TestFuzz(TestCase):
    def setUp(self):
        get_index().clear()

    @given(
        st.sampled_from(["search", "records/R900000001-Ia", "repositories", "repositories/R900000001", "x", "usage"]),
        st.lists(
            st.tuples(
                st.sampled_from([*PARAMETERS, *MACHINE_PARAMETERS, "-type", "source", "<b>", "\x00"]),
                st.one_of(st.text(max_size=30), st.sampled_from(["<script>", "9" * 30, "b2xkZXN0OjE", "2026-13-01"])),
            ),
            max_size=4,
        ),
    )
    def test_any_request_gets_json(self, path, pairs):
        values = {name: value.encode("utf-8", "replace").decode() for name, value in pairs}
        answer = self.client.get(f"/api/{path}", values)
        self.assertLess(answer.status_code, 500)
        json.loads(answer.content)
        self.assertTrue(answer["Content-Type"].endswith("json"))
