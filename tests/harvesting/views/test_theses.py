"""The pages about doctoral theses: numbers, list, files, the hand-over, and that users reach only their own."""

import csv
import hashlib
import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from harvesting.models import AuditEntry, DoctoralThesis, SourceRecord
from harvesting.theses.lists import ABOUT
from harvesting.theses.states import check_changed
from metadata.reading import read
from tests.aggregator.views.records_with_issues import person
from tests.harvesting.batches import new_feed
from tests.harvesting.doi.papers import harvest
from tests.harvesting.theses.theses import WITHOUT_NUMBER, new_repository, received, states
from tests.harvesting.views.test_dois import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed(db):
    """A feed with a ready and a blocked thesis."""
    feed = new_repository()
    harvest(feed, received("a"), received("b", **WITHOUT_NUMBER))
    check_changed()
    return feed


@pytest.fixture
def librarian(feed) -> Client:
    return client_of(person("hanako", feed.repository))


@pytest.fixture
def staff(django_user_model) -> Client:
    return client_of(django_user_model.objects.create_superuser("chief"))


def list_of(client: Client, **conditions: str) -> list[dict[str, str]]:
    text = b"".join(client.get("/manage/theses/list.csv", conditions)).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def packed(content: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(content))


def test_the_overview_counts_by_provider_and_state(librarian, feed):
    page = librarian.get("/manage/theses/").text
    for state in ("ready", "blocked"):
        assert f"?repository={feed.repository.number}&amp;state={state}" in page
    assert "state=gone" not in page
    DoctoralThesis.objects.filter(state="ready").update(state="gone")
    assert "国立国会図書館に知らせてください" in librarian.get("/manage/theses/").text


def test_the_list_says_what_a_thesis_lacks_and_shows_its_degree(librarian, feed):
    page = librarian.get("/manage/theses/list", {"state": "blocked"}).text
    assert 'href="/rules/thesis.E001"' in page
    assert "学位授与番号" in page
    assert "甲第5384号" not in page
    page = librarian.get("/manage/theses/list", {"state": "ready"}).text
    for text in ("見本の研究", "見本, 花子", "博士（文学）", "見本大学", "12601", "2017-03-25", "甲第5384号"):
        assert text in page
    assert librarian.get("/manage/theses/list", {"state": "lost"}).status_code == 400
    assert librarian.get("/rules/thesis.E001").status_code == 200


def test_the_list_as_csv_has_everything_about_a_degree(librarian, feed):
    [row] = list_of(librarian, state="ready")
    assert {name: row[name] for name in ABOUT} == {
        "title": "見本の研究",
        "author": "見本, 花子",
        "degree": "博士（文学）",
        "grantor": "見本大学",
        "kakenhi": "12601",
        "number": "甲第5384号",
        "granted": "2017-03-25",
        "language": "jpn",
        "access": "open access",
        "address": "https://a.example.jp/records/a",
        "fulltext": "https://a.example.jp/1.pdf",
    }
    assert (row["provider"], row["identifier"], row["state"]) == (feed.repository.number, "oai:x:a", "ready")
    assert [row["codes"] for row in list_of(librarian)] == ["", "thesis.E001"]


def test_a_list_is_paged(librarian, feed):
    harvest(feed, *(received(f"p{number:02}") for number in range(60)))
    page = librarian.get("/manage/theses/list").text
    assert "oai:x:p47" in page
    assert "oai:x:p48" not in page
    after = DoctoralThesis.objects.get(record__identifier="oai:x:p47").pk
    assert f"?after={after}" in page
    assert "oai:x:p59" in librarian.get("/manage/theses/list", {"after": after}).text


def test_queries_of_the_pages_do_not_grow_with_the_theses(librarian, feed, django_assert_max_num_queries):
    harvest(feed, *(received(f"p{number:02}") for number in range(40)))
    check_changed()
    for address, most in (("", 15), ("list", 17), (f"list?repository={feed.repository.number}", 19)):
        with django_assert_max_num_queries(most):
            assert librarian.get(f"/manage/theses/{address}").status_code == 200


def test_the_file_has_every_ready_thesis_in_jpcoar_and_a_list(librarian, feed):
    content = b"".join(librarian.get(f"/manage/theses/{feed.repository.number}/ready.zip"))
    row = DoctoralThesis.objects.get(state="ready")
    with packed(content) as archive:
        name = f"records/{row.record.public_id}.xml"
        assert archive.namelist() == [name, "theses.csv"]
        document = archive.read(name)
        [line] = csv.DictReader(io.StringIO(archive.read("theses.csv").decode("utf-8-sig")))
    assert (line["file"], line["sha256"]) == (name, hashlib.sha256(document).hexdigest())
    assert line["sha256"] == row.digest
    record = read(document, "jpcoar").record
    assert (record.dissertation_numbers, record.degree_names) == (("甲第5384号",), ("博士（文学）",))
    assert [file.uri for file in record.files] == ["https://a.example.jp/1.pdf"]
    assert librarian.get(f"/manage/theses/{row.pk}.xml").content == document


def test_what_has_changed_since_it_was_checked_is_not_in_the_file(librarian, feed):
    DoctoralThesis.objects.filter(state="ready").update(digest="x" * 64)
    with packed(b"".join(librarian.get(f"/manage/theses/{feed.repository.number}/ready.zip"))) as archive:
        assert archive.namelist() == ["theses.csv"]


def test_staff_mark_what_was_ready_when_they_saw_it(staff, feed):
    address = f"/manage/theses/{feed.repository.number}/act"
    page = staff.get("/manage/theses/list", {"repository": feed.repository.number}).text
    assert f'action="{address}"' in page
    staff.post(address, {"act": "handed_over", "shown": "2020-01-01T00:00:00+09:00"})
    assert states()["a"] == "ready"
    assert staff.post(address, {"act": "lost"}).status_code == 404
    assert "対象の博士論文は1件でした" in staff.post(address, {"act": "handed_over"}, follow=True).text
    check_changed()
    assert states() == {"a": "sent", "b": "blocked"}
    assert AuditEntry.objects.filter(action="theses.handed_over").exists()
    page = staff.get("/manage/theses/list", {"repository": feed.repository.number}).text
    assert "ready.zip" not in page


def test_what_is_gone_is_a_task_of_staff_until_it_is_settled(staff, librarian, feed):
    DoctoralThesis.objects.filter(state="ready").update(state="gone", sent_digest="x" * 64, checked_at=None)
    SourceRecord.objects.filter(identifier="oai:x:a").update(deleted=True)
    check_changed()
    task = "国立国会図書館へ引き渡した博士論文1件のレコードがなくなりました"
    assert task in staff.get("/manage/").text
    assert task not in librarian.get("/manage/").text
    address = f"/manage/theses/{feed.repository.number}/act"
    assert 'value="settled"' in staff.get("/manage/theses/list", {"repository": feed.repository.number}).text
    staff.post(address, {"act": "settled"})
    assert task not in staff.get("/manage/").text
    DoctoralThesis.objects.update(checked_at=None)
    check_changed()
    assert DoctoralThesis.objects.get(state="gone").settled_at
    SourceRecord.objects.filter(identifier="oai:x:a").update(deleted=False)
    DoctoralThesis.objects.update(checked_at=None)
    check_changed()
    assert DoctoralThesis.objects.get(record__identifier="oai:x:a").settled_at is None


def test_a_provider_that_is_not_redistributed_is_not_handed_over(staff, feed):
    feed.repository.give_on = False
    feed.repository.save()
    page = staff.get("/manage/theses/list", {"repository": feed.repository.number}).text
    assert "ready.zip" not in page
    assert "再配布しない" in page
    staff.post(f"/manage/theses/{feed.repository.number}/act", {"act": "handed_over"})
    assert states()["a"] == "ready"


def test_librarians_reach_their_own_theses_only_and_act_on_none(feed, librarian):
    stranger = client_of(person("taro", new_feed(base_url="https://b.example.jp/oai").repository))
    row, number = DoctoralThesis.objects.first(), feed.repository.number
    for address in (f"{number}/ready.zip", f"{row.pk}.xml", f"list?repository={number}"):
        assert stranger.get(f"/manage/theses/{address}").status_code == 404
    assert "oai:x:" not in stranger.get("/manage/theses/list").text
    assert list_of(stranger) == []
    assert librarian.post(f"/manage/theses/{number}/act", {"act": "handed_over"}).status_code == 403
    assert "/act" not in librarian.get("/manage/theses/list", {"repository": number}).text
    assert Client().get("/manage/theses/").status_code == 302
    SourceRecord.objects.update(deleted=True)
    assert librarian.get(f"/manage/theses/{row.pk}.xml").status_code == 404


def test_the_command_lists_counts_and_packs_theses(feed, tmp_path, capsys):
    DoctoralThesis.objects.all().delete()
    file, number = tmp_path / "theses.zip", feed.repository.number
    call_command("doi", number, "--theses", "--check", "--zip", str(file), "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {(row["identifier"], row["state"], *row["codes"]) for row in rows}
    assert found == {("oai:x:a", "ready"), ("oai:x:b", "blocked", "thesis.E001")}
    with zipfile.ZipFile(file) as archive:
        assert len(archive.namelist()) == 2
    call_command("doi", "--theses")
    assert f"{number}\tready\t1" in capsys.readouterr().out
    call_command("doi", "--theses", "--ready")
    assert capsys.readouterr().out.count("\n") == 1
    with pytest.raises(CommandError):
        call_command("doi", "--theses", "--send")
