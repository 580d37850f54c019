"""The public pages about providers."""

import csv
import io
import re

from harvesting.models import Feed, Harvest
from tests.aggregator.views import shelf as shelves

EN = {"accept-language": "en"}


def test_the_list_shows_state_counts_and_last_outcome(client, shelf, library, archive):
    shelf.issue(shelf.record(library), "dcndl.W012", "warning", field="identifier", value="x")
    shelves.harvest(library)
    shelves.harvest(archive, state="failed", code="http.503", facts={"url": "https://x.example.jp/oai"})
    page = client.get("/repositories/", headers=EN).text
    for text in ("R900000001", "Sample City Library", "live", "succeeded", "is busy (status 503)"):
        assert text in page


def test_readers_see_names_of_formats_and_licences(client, shelf):
    provider = shelves.repository(licence="https://creativecommons.org/publicdomain/zero/1.0/")
    Feed.objects.create(repository=provider, base_url="https://x.example.jp/oai", metadata_prefix="oai_dc")
    listed = client.get("/repositories/", headers=EN).text
    assert "Dublin Core" in listed
    assert not re.search(r">[^<]*(?:oai_dc|creativecommons)[^<]*<", listed.replace("Dublin Core (oai_dc)", ""))
    for page in (listed, client.get(f"/repositories/{provider.number}", headers=EN).text):
        assert re.search(r'<a [^>]*href="https://creativecommons[^"]*"[^>]*>CC0 1.0</a>', page)


def test_stopped_providers_are_not_listed_but_have_a_page(client, shelf):
    stopped = shelves.repository(state="stopped", state_reason="closed in 2025")
    assert stopped.number not in client.get("/repositories/").text
    assert "closed in 2025" in client.get(f"/repositories/{stopped.number}").text


def test_contact_addresses_stay_private(client, shelf):
    shelves.repository(contact_email="librarian@example.jp")
    for address in ("/repositories/", "/repositories/R900000001", "/repositories.json"):
        assert "librarian@example.jp" not in client.get(address).text


def test_the_page_groups_issues_by_rule_with_three_examples(client, shelf, library):
    sources = [shelf.record(library) for _number in range(5)]
    for source in sources:
        shelf.issue(source, "dcndl.W012", "warning", field="identifier", value="x")
    page = client.get("/repositories/R900000001", headers=EN).text
    assert "5 times" in page
    assert page.count("?source=1") == 3


def test_the_page_shows_the_counts_of_harvests(client, shelf, library):
    shelves.harvest(library, received=1234, created=1234)
    assert '<td class="figure">1234</td>' in client.get("/repositories/R900000001").text


def test_readers_see_no_server_paths_and_no_names_of_staff(client, shelf, library):
    shelves.harvest(library, code="safety.confirmed", facts={"user": "hanako", "count": 3})
    feed = Feed.objects.create(repository=library, protocol="file", base_url="/srv/secret/catalogue.csv")
    Harvest.objects.create(feed=feed, kind="full", state="failed", code="file.missing", facts={"path": "/srv/secret"})
    page = client.get("/repositories/R900000001", headers=EN).text
    assert "a file on this server" in page
    assert not [private for private in ("/srv/secret", "hanako", "restore_records") if private in page]


def test_an_unknown_number_is_not_found(client, shelf):
    assert client.get("/repositories/R999999999").status_code == 404


def test_the_list_is_available_as_json(client, shelf, library):
    shelf.record(library)
    shelf.record(library, deleted=True)
    shelf.record(library, None)
    shelves.harvest(library)
    [listed] = client.get("/repositories.json").json()["repositories"]
    assert (listed["number"], listed["state"], listed["records"]) == ("R900000001", "live", 1)
    assert listed["last_harvest"]["received"] == 3


def test_queries_do_not_grow_with_the_providers(client, shelf, django_assert_max_num_queries):
    for number in range(12):
        shelves.harvest(shelves.repository(f"R9000001{number:02}"))
    with django_assert_max_num_queries(6):
        client.get("/repositories/")


def test_queries_do_not_grow_with_the_issues(client, shelf, library, django_assert_max_num_queries):
    for number in range(30):
        shelf.issue(shelf.record(library), f"dcndl.W{number:03}", "warning")
        shelves.harvest(library)
    with django_assert_max_num_queries(11):
        client.get("/repositories/R900000001")


def test_the_csv_list_has_no_formulas(client, shelf, library):
    shelves.repository("R900000002", name='=HYPERLINK("x")', state_reason="＝1+1", licence="CC0, 1.0")
    shelf.record(library)
    answer = client.get("/repositories.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    first, second = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (first["name"], first["records"], first["formats"]) == ("見本市立図書館", "1", "dcndl")
    assert (second["name"], second["state_reason"], second["licence"]) == ('\'=HYPERLINK("x")', "'＝1+1", "CC0, 1.0")


def test_the_page_has_a_search_within_this_provider(client, shelf, library, archive):
    shelf.book(shelf.record(library))
    page = client.get("/repositories/R900000001", headers=EN).text
    assert '<input type="hidden" name="repository" value="R900000001">' in page
    assert "Not stated by the provider." in page
    assert 'name="repository"' not in client.get("/repositories/R900000002").text
