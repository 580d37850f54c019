"""Registered providers, for their librarians and for staff; import and export of many at once."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.models import Application, AuditEntry, Feed, Repository
from harvesting.registry.bulk import rows_of
from harvesting.registry.registration import register
from tests.aggregator.views.manage.test_join import HOSTILE, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def librarian():
    return person("hanako", LIBRARIANS)


@pytest.fixture
def staff():
    return person("taro", STAFF)


@pytest.fixture
def provider(librarian):
    repository = Repository(name="見本図書館", state="live", contact_email="a@example.jp", trust=-3)
    register(repository, [Feed(base_url="https://a.example.jp/oai"), Feed(base_url="https://a.example.jp/b")])
    repository.managers.set([librarian.session["_auth_user_id"]])
    return repository


def page_of(repository) -> str:
    return f"/manage/providers/{repository.number}/"


def test_a_librarian_changes_the_facts_of_her_provider(librarian, provider):
    given = {"part": "contact", "name": "見本市立図書館", "kind": "library", "contact_email": "b@example.jp"}
    assert librarian.post(page_of(provider), given).status_code == 302
    assert librarian.post(page_of(provider), {"part": "links", "link_template": "nowhere"}).status_code == 422
    provider.refresh_from_db()
    assert (provider.name, provider.contact_email, provider.link_template) == ("見本市立図書館", "b@example.jp", "")
    entry = AuditEntry.objects.get(action="provider.changed")
    assert entry.details["name"] == "見本図書館 → 見本市立図書館"
    assert "見本市立図書館" in librarian.get(page_of(provider)).content.decode()


def test_a_provider_is_only_for_its_librarians(provider, client):
    other = person("jiro", LIBRARIANS)
    feed = provider.feeds.first()
    for path in (page_of(provider), f"{page_of(provider)}feeds/new", f"{page_of(provider)}feeds/{feed.pk}"):
        assert other.get(path).status_code == 404
        assert other.post(path, {"part": "state-stopped", "reason": "x"}).status_code == 404
        assert client.get(path).status_code == 302
    assert provider.name not in other.get("/manage/providers/").content.decode()


def test_a_provider_is_paused_with_a_reason_and_resumed(librarian, provider):
    assert librarian.post(page_of(provider), {"part": "state-paused"}).status_code == 422
    librarian.post(page_of(provider), {"part": "state-paused", "reason": "システム更新"})
    provider.refresh_from_db()
    assert (provider.state, provider.state_reason) == ("paused", "システム更新")
    librarian.post(page_of(provider), {"part": "state-live"})
    provider.refresh_from_db()
    assert provider.state == "live"


def test_only_staff_restart_a_stopped_provider(librarian, staff, provider):
    librarian.post(page_of(provider), {"part": "state-stopped", "reason": "廃止"})
    assert librarian.post(page_of(provider), {"part": "state-live"}).status_code == 404
    staff.post(page_of(provider), {"part": "state-live"})
    provider.refresh_from_db()
    assert provider.state == "live"


def test_an_unapproved_provider_cannot_go_live(librarian, provider):
    Repository.objects.update(approved=False, state="asked", published=False)
    assert librarian.post(page_of(provider), {"part": "state-live"}).status_code == 404


def test_a_librarian_asks_staff_to_end_the_provider(librarian, staff, provider):
    librarian.post(page_of(provider), {"part": "ask-delete", "reason": "閉館"})
    application = Application.objects.get()
    assert "閉館" in staff.get(page_of(provider)).content.decode()
    staff.post(f"{page_of(provider)}answer/{application.pk}", {"grant": "1"})
    provider.refresh_from_db()
    assert (provider.state, provider.state_reason) == ("stopped", "閉館")
    assert staff.post(f"{page_of(provider)}answer/{application.pk}", {"grant": "1"}).status_code == 302


def test_feeds_can_be_changed_and_added(librarian, provider):
    feed = provider.feeds.first()
    given = {"protocol": "oai-pmh", "base_url": "https://a.example.jp/new", "metadata_prefix": "oai_dc"}
    assert librarian.post(f"{page_of(provider)}feeds/{feed.pk}", {**given, "schedule": "weekly"}).status_code == 302
    assert librarian.post(f"{page_of(provider)}feeds/new", {**given, "schedule": "daily"}).status_code == 422
    assert librarian.post(f"{page_of(provider)}feeds/new", {**given, "set_spec": "a"}).status_code == 302
    assert sorted(provider.feeds.values_list("base_url", "set_spec")) == [
        ("https://a.example.jp/b", ""),
        ("https://a.example.jp/new", ""),
        ("https://a.example.jp/new", "a"),
    ]
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"feed.changed", "feed.added"}


def test_queries_do_not_grow_with_the_list(staff, provider, django_assert_max_num_queries):
    for number in range(30):
        register(Repository(name=f"館{number}"), [Feed(base_url=f"https://{number}.example.jp/")])
    staff.get("/manage/providers/")
    with django_assert_max_num_queries(22):
        page = staff.get("/manage/providers/")
    assert "館29" in page.content.decode()
    assert "館29" not in staff.get("/manage/providers/?q=館28").content.decode()


def upload(staff, content: bytes, **more: str):
    return staff.post("/manage/providers/bulk", {"upload": SimpleUploadedFile("p.csv", content), **more})


@pytest.mark.parametrize("form", ["csv", "json"])
def test_importing_an_export_changes_nothing(staff, provider, form):
    Repository.objects.update(name="=1+1", name_en="'=x", licence="'", state_reason="@a")
    Feed.objects.filter(base_url__endswith="/b").update(
        quiet_from="08:00", quiet_until="20:30", columns={"書名": "title"}
    )
    register(Repository(name="空"), [])
    before = list(rows_of(Repository.objects.all()))
    content = staff.get(f"/manage/providers/export.{form}").content
    if form == "csv":
        assert '"\'=1+1"' in content.decode()
    page = upload(staff, content).content.decode()
    assert "Unchanged: 3. With errors: 0." in page
    assert "This file changes nothing." in page
    assert before == list(rows_of(Repository.objects.all()))


def test_a_file_changes_providers_after_the_preview(staff, provider):
    found = json.loads(staff.get("/manage/providers/export.json").content)
    found["repositories"][0]["name"] = "新しい名前"
    found["repositories"].append(
        {
            "name": "別館",
            "feeds": [{"base_url": "https://c.example.jp/oai", "protocol": "oai-pmh", "schedule": "weekly"}],
        }
    )
    text = json.dumps(found)
    page = upload(staff, text.encode()).content.decode()
    assert "新しい名前" in page
    assert Repository.objects.count() == 1
    assert staff.post("/manage/providers/bulk", {"text": text, "do-import": "1"}).status_code == 302
    assert sorted(Repository.objects.values_list("name", flat=True)) == ["別館", "新しい名前"]
    assert Feed.objects.get(repository__name="別館").schedule == "weekly"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name,colour\na,b\n", "colour"),
        (b"number,base_url\n,x\n", "name"),
        ("name\n館".encode("shift_jis"), "UTF-8"),
        (b'{"repositories": 5}', "JSON"),
        (b"", "Choose a file"),
        (b"name,base_url\nA,file:///etc/passwd\n", "http"),
        (b"name,state\nA,flying\n", "flying"),
        (b"name,number\nA,R1\n", "R1"),
        (b"name,base_url,cron,schedule\nA,https://a.example/,x,cron\n", "cron"),
        (b"name,base_url,columns\nA,https://a.example/,[1]\n", "columns"),
        (b"name,base_url\nA\0,https://a.example/\n", "control character"),
    ],
)
def test_every_error_in_a_file_is_reported_and_nothing_is_stored(staff, content, message):
    page = upload(staff, content, **{"do-import": "1"}).content.decode()
    assert message in page
    assert not Repository.objects.exists()


def test_librarians_may_not_import(librarian):
    assert librarian.get("/manage/providers/bulk").status_code == 403
    assert librarian.get("/manage/providers/export.csv").status_code == 403


def test_markup_in_a_file_is_escaped(staff):
    rows = json.dumps([{"name": HOSTILE, "base_url": HOSTILE, "cron": HOSTILE, "licence": HOSTILE}])
    assert "<script>alert" not in upload(staff, rows.encode()).content.decode()


def test_the_command_imports_like_the_page(provider, tmp_path, capsys):
    call_command("providers")
    file = tmp_path / "providers.csv"
    file.write_text(capsys.readouterr().out.replace("見本図書館", "別の名前"), encoding="utf-8")
    call_command("providers", "--import", str(file))
    assert "見本図書館 → 別の名前" in capsys.readouterr().out
    assert Repository.objects.get().name == "見本図書館"
    call_command("providers", "--import", str(file), "--apply")
    assert Repository.objects.get().name == "別の名前"
    file.write_text("name,base_url\nA,nowhere\n")
    with pytest.raises(CommandError):
        call_command("providers", "--import", str(file), "--apply")
    assert Repository.objects.count() == 1
