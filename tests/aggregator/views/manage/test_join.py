"""Registering a provider, page by page, without a browser."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.joining import application as joining
from harvesting.models import Application, AuditEntry, Draft, Feed, Repository, SelfTest, SourceRecord
from harvesting.registry import uploads
from harvesting.trials import self_test as validating
from harvesting.trials.self_test import run
from tests.harvesting.conftest import feed_of, sample, source  # noqa: F401  a provider on loopback

pytestmark = pytest.mark.django_db
HOSTILE = "\"><script>alert(1)</script>'{{7*7}}"


@pytest.fixture(autouse=True)
def no_queue(monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(validating, "enqueue", lambda made: None)
    monkeypatch.setattr("aggregator.views.manage.join.workers", lambda: 0)


def person(name: str, group: str) -> Client:
    ensure_roles()
    user = get_user_model().objects.create_user(name, password="x")
    user.groups.add(Group.objects.get(name=group))
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


@pytest.fixture
def librarian():
    return person("hanako", LIBRARIANS)


@pytest.fixture
def staff():
    return person("taro", STAFF)


@pytest.fixture
def provider(source, feed_of):  # noqa: F811
    """The address of a provider that answers and is not registered."""
    feed = feed_of(source)
    repository = feed.repository
    feed.delete()
    repository.delete()
    return feed.base_url


def run_queued_tests():
    for made in SelfTest.objects.filter(state="queued"):
        run(made)


def begin(client) -> str:
    client.post("/manage/join/")
    return f"/manage/join/{Draft.objects.latest('pk').pk}"


def walk(client, provider: str, **contact: str) -> str:
    """Fill all pages but the last; return the address of the draft."""
    draft = begin(client)
    client.post(f"{draft}/address", {"base_url": provider})
    run_queued_tests()
    client.post(f"{draft}/offer", {"format": "dcndl"})
    run_queued_tests()
    client.post(f"{draft}/sample")
    client.post(f"{draft}/links", {"link_template": "https://opac.example.jp/?isbn={isbn}&title={title}"})
    client.post(f"{draft}/schedule", {"schedule": "weekly", "quiet_from": "08:00", "quiet_until": "22:00"})
    values = {"name": "見本市立図書館", "kind": "library", "contact_email": "a@example.jp", **contact}
    client.post(f"{draft}/contact", values)
    return draft


def test_from_an_address_to_a_live_provider(librarian, staff, provider, client):
    draft = begin(librarian)
    assert librarian.post(f"{draft}/address", {"base_url": provider}).url == f"{draft}/offer"
    waiting = librarian.get(f"{draft}/offer").content.decode()
    assert 'http-equiv="refresh"' in waiting
    run_queued_tests()
    offer = librarian.get(f"{draft}/offer").content.decode()
    assert "deletedRecord=" in offer
    assert "recommended" in offer
    assert librarian.post(f"{draft}/offer", {"format": "dcndl"}).url == f"{draft}/sample"
    run_queued_tests()
    assert "5 would be new" in librarian.get(f"{draft}/sample").content.decode()
    draft = walk(librarian, provider)
    summary = librarian.get(f"{draft}/summary").content.decode()
    assert "見本市立図書館" in summary
    assert "still missing" not in summary
    answer = librarian.post(f"{draft}/summary")
    repository = Repository.objects.get()
    assert answer.url == f"/manage/providers/{repository.number}/"
    assert (repository.state, repository.approved) == ("asked", False)
    assert [manager.username for manager in repository.managers.all()] == ["hanako"]
    feed = Feed.objects.get()
    assert (feed.metadata_prefix, feed.schedule, str(feed.quiet_from)) == ("dcndl", "weekly", "08:00:00")
    assert client.get(f"/repositories/{repository.number}").status_code == 404
    call_command("dispatch", "--once", "--work")
    assert not SourceRecord.objects.exists()
    application = Application.objects.get()
    staff.post(f"{answer.url}answer/{application.pk}", {"grant": "1"})
    repository.refresh_from_db()
    assert (repository.state, repository.approved) == ("live", True)
    Feed.objects.update(quiet_from=None, quiet_until=None)
    call_command("dispatch", "--once", "--work")
    assert SourceRecord.objects.count() == 5
    assert client.get(f"/repositories/{repository.number}").status_code == 200
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"provider.registered", "provider.join.granted"} <= actions


def test_an_application_is_sent_back_with_a_reason_and_repeated(librarian, staff, provider):
    page = librarian.post(f"{walk(librarian, provider)}/summary").url
    application = Application.objects.get()
    staff.post(f"{page}answer/{application.pk}", {"refuse": "1"})
    application.refresh_from_db()
    assert application.state == "open"
    tasks = staff.get("/manage/").context["waits"]
    assert [task.text for task in tasks] == ["1 provider waits for approval"]
    staff.post(f"{page}answer/{application.pk}", {"refuse": "1", "reason": "名称を正式なものに"})
    assert "名称を正式なものに" in librarian.get(page).content.decode()
    assert "Staff sent back the registration of" in librarian.get("/manage/").content.decode()
    assert len(librarian.get("/manage/").context["waits"]) == 1
    assert staff.get("/manage/").context["waits"] == []
    librarian.post(page, {"part": "ask-join"})
    assert Application.objects.filter(state="open").count() == 1
    assert librarian.post(f"{page}answer/{application.pk}", {"grant": "1"}).status_code == 403


def test_going_back_keeps_even_invalid_input(librarian):
    draft = begin(librarian)
    librarian.post(f"{draft}/schedule", {"schedule": "cron", "cron": "every day", "do-back": "1"})
    page = librarian.get(f"{draft}/schedule").content.decode()
    assert "every day" in page
    assert "is not a cron expression" in page


def test_invalid_input_stays_on_its_page(librarian):
    draft = begin(librarian)
    for step, values in {
        "address": {"base_url": "file:///etc/passwd"},
        "links": {"link_template": "https://x.example/"},
        "schedule": {"schedule": "daily", "quiet_from": "08:00"},
        "contact": {"name": "", "kind": "library"},
    }.items():
        answer = librarian.post(f"{draft}/{step}", values)
        assert answer.status_code == 422, step
        assert 'class="fault"' in answer.content.decode() or 'role="alert"' in answer.content.decode()
    assert librarian.post(f"{draft}/summary").status_code == 422
    assert not Repository.objects.exists()


def test_a_file_can_be_registered(librarian):
    draft = begin(librarian)
    file = SimpleUploadedFile("list.csv", "書名,ISBN\nこころ,9784101010137\n".encode())
    assert librarian.post(f"{draft}/address", {"upload": file}).status_code == 302
    run_queued_tests()
    offer = librarian.get(f"{draft}/offer").content.decode()
    assert "/uploads/" not in offer
    assert librarian.post(f"{draft}/offer", {"format": "json"}).status_code == 302
    run_queued_tests()
    assert "こころ" in librarian.get(f"{draft}/sample").content.decode()
    librarian.post(f"{draft}/links", {})
    librarian.post(f"{draft}/schedule", {"schedule": "manual"})
    librarian.post(f"{draft}/contact", {"name": "見本", "kind": "library", "contact_email": "a@example.jp"})
    page = librarian.post(f"{draft}/summary")
    assert page.status_code == 302, page.content.decode()
    assert Feed.objects.get().protocol == "file"
    assert "/uploads/" not in librarian.get(page.url).content.decode()


def test_a_login_is_sealed_and_never_shown(librarian, provider):
    draft = begin(librarian)
    login = {"login_kind": "basic", "login_name": "reader", "login_secret": "hush"}
    librarian.post(f"{draft}/address", {"base_url": provider, **login})
    stored = Draft.objects.get()
    assert b"hush" not in bytes(stored.credentials)
    assert "hush" not in str(stored.typed)
    assert "hush" not in librarian.get(f"{draft}/address").content.decode()


def test_an_address_that_is_already_registered_is_reported(librarian, source, feed_of):  # noqa: F811
    feed = feed_of(source)
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"base_url": f"{feed.base_url}/".replace("127.0.0.1", "127.0.0.1")})
    run_queued_tests()
    assert feed.repository.number in librarian.get(f"{draft}/offer").content.decode()


def test_a_draft_is_only_for_its_owner(librarian, client):
    draft = begin(librarian)
    other = person("jiro", LIBRARIANS)
    assert other.get(f"{draft}/address").status_code == 404
    assert other.post(f"{draft}/discard").status_code == 404
    assert client.get(f"{draft}/address").status_code == 302
    assert librarian.post(f"{draft}/discard").status_code == 302
    assert not Draft.objects.exists()


def test_typed_markup_is_escaped(librarian, provider):
    draft = walk(librarian, provider, name=HOSTILE, name_yomi=HOSTILE, name_en=HOSTILE, licence=HOSTILE)
    librarian.post(f"{draft}/links", {"link_template": HOSTILE, "home_page": HOSTILE, "do-back": "1"})
    pages = [f"{draft}/{step}" for step in ("address", "offer", "sample", "links", "schedule", "contact", "summary")]
    for path in ("/manage/join/", *pages):
        assert "<script>alert" not in librarian.get(path).content.decode(), path
    librarian.post(f"{draft}/links", {"link_template": ""})
    page = librarian.post(f"{draft}/summary").url
    for path in (page, "/manage/providers/"):
        text = librarian.get(path).content.decode()
        assert "<script>alert" not in text
        assert "&lt;script&gt;" in text


def test_the_pages_take_few_queries(librarian, provider, django_assert_max_num_queries):
    draft = walk(librarian, provider)
    for step in ("address", "offer", "sample", "links", "schedule", "contact", "summary"):
        with django_assert_max_num_queries(22):
            librarian.get(f"{draft}/{step}")


@pytest.mark.parametrize(("path", "protocol"), [("library/rss-full", "rss"), ("", "resourcesync")])
def test_other_protocols_are_detected_and_tried(librarian, provider, path, protocol):
    address = provider.removesuffix("library/oai")
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"base_url": f"{address}{path}"})
    run_queued_tests()
    stored = Draft.objects.get()
    assert joining.report_of(stored.looked).protocol == protocol, stored.looked.code
    offered = joining.form_of(stored, "offer")
    assert librarian.post(f"{draft}/offer", {"format": offered["format"].initial}).status_code == 302
    run_queued_tests()
    assert "見本の本1" in librarian.get(f"{draft}/sample").content.decode()
    assert joining.feeds_of(Draft.objects.get())[0].protocol == protocol


def test_a_wrong_address_of_a_host_with_resourcesync_is_not_replaced_but_the_right_one_is_named(librarian, provider):
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"base_url": f"{provider.removesuffix('oai')}"})
    run_queued_tests()
    page = librarian.get(f"{draft}/offer").content.decode()
    assert f"{provider.removesuffix('/library/oai')}/.well-known/resourcesync" in page


def test_an_old_draft_is_pruned_with_its_file(librarian, settings):
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"upload": SimpleUploadedFile("list.csv", "書名\nこころ\n".encode())})
    assert uploads.stored_uploads() == [Draft.objects.get().upload]
    assert joining.prune(timezone.now()) == 0
    Draft.objects.update(changed=timezone.now() - timedelta(days=181))
    assert joining.prune(timezone.now()) == 1
    assert not Draft.objects.exists()
