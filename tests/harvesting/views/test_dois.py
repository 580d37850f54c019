"""The pages about DOIs: numbers, lists, files, acts of staff, and that users reach only their own providers."""

import csv
import io
import json
import zipfile

import pytest
from django.core.management import call_command
from django.test import Client
from lxml import etree

from harvesting.doi.deliveries import seal_login
from harvesting.doi.states import check_changed
from harvesting.models import AuditEntry, DoiAgreement, DoiDelivery, RequestedDoi
from metadata.deposits import crossref, jalc
from tests.aggregator.views.records_with_issues import person
from tests.harvesting.batches import new_feed
from tests.harvesting.doi.papers import WITHOUT_VOLUME, harvest, new_provider, paper, states
from tests.metadata.deposits import test_crossref as english

pytestmark = pytest.mark.django_db
ENGLISH = {name: getattr(english.ARTICLE, name) for name in ("titles", "alternatives", "publishers", "host")}


@pytest.fixture
def feed(db):
    """A feed with a ready, a blocked, and a Crossref DOI."""
    feed = new_provider("ndl", crossref_prefixes="10.14977")
    harvest(feed, paper("a"), paper("b", **WITHOUT_VOLUME), paper("c", agency="Crossref", **ENGLISH))
    check_changed()
    return feed


def client_of(user) -> Client:
    client = Client(headers={"accept-language": "ja"})
    client.force_login(user)
    return client


@pytest.fixture
def librarian(feed) -> Client:
    return client_of(person("hanako", feed.repository))


@pytest.fixture
def staff(django_user_model) -> Client:
    return client_of(django_user_model.objects.create_superuser("chief"))


def act(client: Client, feed, name: str, **data: str):
    return client.post(f"/manage/doi/{feed.repository.number}/act", {"act": name, **data}, follow=True)


def test_the_overview_counts_by_provider_agency_and_state(librarian, feed):
    page = librarian.get("/manage/doi/").text
    number = feed.repository.number
    for agency, state in (("JaLC", "ready"), ("JaLC", "blocked"), ("Crossref", "ready")):
        assert f"?repository={number}&amp;agency={agency}&amp;state={state}" in page
    assert "state=gone" not in page
    RequestedDoi.objects.filter(doi="10.14977/a").update(state="gone")
    assert "ページは残す必要があります" in librarian.get("/manage/doi/").text


def test_a_list_says_what_blocks_a_doi_and_has_the_xml_of_others(librarian, feed):
    page = librarian.get("/manage/doi/list", {"state": "blocked"}).text
    assert "10.14977/b" in page
    assert "10.14977/a" not in page
    assert 'href="/rules/doi.E006"' in page
    row = RequestedDoi.objects.get(doi="10.14977/a")
    assert f'href="/manage/doi/{row.pk}.xml"' in librarian.get("/manage/doi/list").text
    document = etree.fromstring(librarian.get(f"/manage/doi/{row.pk}.xml").content)
    jalc.schema().assertValid(document)
    assert document.findtext("body/site_id") == "SI/0000.0001"
    blocked = RequestedDoi.objects.get(doi="10.14977/b")
    assert librarian.get(f"/manage/doi/{blocked.pk}.xml").status_code == 404
    assert librarian.get("/manage/doi/list", {"state": "lost"}).status_code == 400


def test_a_list_is_paged_and_downloaded(librarian, feed):
    harvest(feed, *(paper(f"p{number:02}") for number in range(60)))
    page = librarian.get("/manage/doi/list").text
    assert "p46" in page
    assert "p47" not in page
    after = RequestedDoi.objects.get(doi="10.14977/p46").pk
    assert f"?after={after}" in page
    assert "p59" in librarian.get("/manage/doi/list", {"after": after}).text
    text = b"".join(librarian.get("/manage/doi/list.csv", {"agency": "Crossref"})).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(text))
    assert (row["doi"], row["state"], row["identifier"]) == ("10.14977/c", "ready", "oai:x:c")


def test_queries_of_the_pages_do_not_grow_with_the_dois(librarian, feed, django_assert_max_num_queries):
    harvest(feed, *(paper(f"p{number:02}") for number in range(40)))
    check_changed()
    for address, most in (("", 15), ("list", 16), (f"{feed.repository.number}/", 18)):
        with django_assert_max_num_queries(most):
            assert librarian.get(f"/manage/doi/{address}").status_code == 200


def test_what_is_ready_is_one_zip_of_valid_documents(librarian, feed):
    sent = b"".join(librarian.get(f"/manage/doi/{feed.repository.number}/ready.zip"))
    with zipfile.ZipFile(io.BytesIO(sent)) as packed:
        assert packed.namelist() == ["jalc-article-0001.xml", "crossref-article-0001.xml"]
        jalc.schema().assertValid(etree.fromstring(packed.read("jalc-article-0001.xml")))
        crossref.schema().assertValid(etree.fromstring(packed.read("crossref-article-0001.xml")))


def test_files_are_marked_as_handed_over_and_registered(staff, feed):
    DoiAgreement.objects.update(hand_over="files")
    page = staff.get(f"/manage/doi/{feed.repository.number}/").text
    assert 'value="handed_over"' in page
    act(staff, feed, "handed_over")
    check_changed()
    assert states() == {"a": "sent", "b": "blocked", "c": "sent"}
    act(staff, feed, "registered", agency="JaLC")
    check_changed()
    assert states() == {"a": "registered", "b": "blocked", "c": "sent"}
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"doi.handed_over", "doi.registered"}
    harvest(feed, paper("a", issued="1908"), datestamp="2026-01-11T00:00:00Z")
    check_changed()
    assert states()["a"] == "changed"


def test_what_has_changed_since_the_page_was_shown_is_not_marked(staff, feed):
    assert "1件" not in act(staff, feed, "handed_over", shown="2020-01-01T00:00:00+09:00").text
    assert states()["a"] == "ready"


def test_a_dry_run_comes_before_sending(staff, feed):
    DoiAgreement.objects.update(hand_over="api", credentials=seal_login("user", "password"))
    assert "まず予行" in act(staff, feed, "send").text
    act(staff, feed, "dry_run")
    page = act(staff, feed, "send").text
    assert [delivery.rehearsal for delivery in DoiDelivery.objects.order_by("pk")] == [True, False]
    pk = DoiDelivery.objects.get(rehearsal=True).pk
    assert f'href="/manage/doi/deliveries/{pk}.xml"' in page
    assert b"<doi>10.14977/a</doi>" in staff.get(f"/manage/doi/deliveries/{pk}.xml").content


def test_staff_settle_an_interrupted_delivery(staff, feed):
    row = RequestedDoi.objects.get(doi="10.14977/a")
    about = {"repository": feed.repository, "state": "uncertain", "contents": [[row.pk, row.digest]]}
    delivery = DoiDelivery.objects.create(**about)
    assert 'value="not_arrived"' in staff.get(f"/manage/doi/{feed.repository.number}/").text
    act(staff, feed, "arrived", delivery=str(delivery.pk))
    check_changed()
    assert states()["a"] == "registered"
    assert act(staff, feed, "arrived", delivery="x").status_code == 404


def test_a_doi_whose_record_is_gone_is_a_task_of_staff_until_it_is_settled(staff, feed):
    RequestedDoi.objects.filter(doi="10.14977/a").update(state="gone")
    task = "登録済みのDOI 1件のレコードがなくなりました"
    assert task in staff.get("/manage/").text
    assert 'value="settled"' in staff.get(f"/manage/doi/{feed.repository.number}/").text
    act(staff, feed, "settled")
    assert task not in staff.get("/manage/").text
    assert "ページは残す必要があります" not in staff.get("/manage/doi/").text
    assert states()["a"] == "gone"


def test_librarians_reach_their_own_providers_only_and_act_on_none(feed):
    stranger = client_of(person("taro", new_feed(base_url="https://b.example.jp/oai").repository))
    row = RequestedDoi.objects.get(doi="10.14977/a")
    number = feed.repository.number
    for address in (f"{number}/", f"{number}/ready.zip", f"{row.pk}.xml", f"list?repository={number}"):
        assert stranger.get(f"/manage/doi/{address}").status_code == 404
    assert "10.14977" not in stranger.get("/manage/doi/list").text
    own = client_of(person("hanako", feed.repository))
    assert act(own, feed, "handed_over").status_code == 403
    assert 'name="act"' not in own.get(f"/manage/doi/{number}/").text
    assert Client().get("/manage/doi/").status_code == 302


def test_the_command_lists_counts_and_packs(feed, tmp_path, capsys):
    RequestedDoi.objects.all().delete()
    file = tmp_path / "dois.zip"
    number = feed.repository.number
    call_command("doi", number, "--check", "--zip", str(file), "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {(row["doi"], row["state"]) for row in rows} >= {("10.14977/a", "ready"), ("10.14977/b", "blocked")}
    assert zipfile.is_zipfile(file)
    call_command("doi", number, "--dry-run", "--ready")
    printed = capsys.readouterr()
    assert "10.14977/b" not in printed.out
    assert f"{number}: " in printed.err
    call_command("doi")
    assert f"{number}\tJaLC\tready\t1" in capsys.readouterr().out
