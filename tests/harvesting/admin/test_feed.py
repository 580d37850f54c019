"""Feeds in the admin: the form for each protocol, uploaded files, and logins that are never shown again."""

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from core.files import shared
from harvesting.dispatcher import due_feeds
from harvesting.http.authorization import Credentials
from harvesting.models import Feed, Repository
from harvesting.registry import uploads
from harvesting.registry.credentials import open_credentials, seal_credentials
from harvesting.registry.feed_form import FeedForm
from harvesting.registry.registration import register
from tests.harvesting.admin.test_registration import form, librarian  # noqa: F401
from tests.harvesting.certificates import pem

pytestmark = pytest.mark.django_db
ADD = "admin:harvesting_repository_add"
ENGLISH = {"accept-language": "en"}


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def feed():
    feed = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl")
    register(Repository(name="館", state="live"), [feed])
    return feed


def form_data(feed: Feed, **changes: object) -> dict[str, object]:
    """The data that a browser would send for the form of the feed."""
    feed_form = FeedForm(instance=feed)
    fields = {name: feed_form[name].value() for name in feed_form.fields}
    data = {name: value for name, value in fields.items() if value not in (None, "", {}) and value is not False}
    return {**data, **changes}


def post_form(client, feed: Feed, **changes: object):
    return client.post(reverse("admin:harvesting_feed_change", args=[feed.pk]), form_data(feed, **changes))


def form_errors(response) -> dict[str, list[str]]:
    return response.context["adminform"].form.errors if response.status_code == 200 else {}


@pytest.mark.parametrize(
    ("protocol", "url", "prefix"),
    [
        ("oai-pmh", "https://a.example.jp/oai", "dcndl"),
        ("resourcesync", "https://a.example.jp/", ""),
        ("rss", "https://a.example.jp/new.rdf", "rss"),
        ("file", "https://a.example.jp/all.csv", ""),
    ],
)
def test_a_repository_can_be_registered_for_every_protocol(admin_client, protocol, url, prefix):
    sent = {"feeds-0-protocol": protocol, "feeds-0-base_url": url, "feeds-0-metadata_prefix": ""}
    assert admin_client.post(reverse(ADD), form(**sent)).status_code == 302
    feed = Feed.objects.get()
    assert (feed.protocol, feed.base_url, feed.metadata_prefix) == (protocol, url, prefix)
    assert (feed.method, feed.silent_after_days) == ("GET", 90)


def test_an_uploaded_file_is_stored_under_a_secret_name(admin_client):
    upload = SimpleUploadedFile("../目録.csv", "書名\nこころ".encode())
    sent = {"feeds-0-protocol": "file", "feeds-0-base_url": "", "feeds-0-upload": upload}
    admin_client.post(reverse(ADD), form(**sent))
    path = Feed.objects.get().base_url
    assert uploads.is_upload(path)
    assert shared.read(path).decode() == "書名\nこころ"


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({}, ("manual", 0)),
        ({"feeds-0-schedule": "daily"}, ("manual", 0)),
        ({"feeds-0-schedule": "weekly", "feeds-0-silent_after_days": "30"}, ("weekly", 30)),
    ],
)
def test_an_uploaded_file_gets_no_schedule_and_no_silence_alarm_by_default(admin_client, sent, stored):
    upload = SimpleUploadedFile("目録.csv", "書名\nこころ".encode())
    sent = {"feeds-0-protocol": "file", "feeds-0-base_url": "", "feeds-0-upload": upload, **sent}
    response = admin_client.post(reverse(ADD), form(**sent), follow=True, headers=ENGLISH)
    feed = Feed.objects.get()
    assert (feed.schedule, feed.silent_after_days) == stored
    assert "will be harvested within a minute" in "".join(map(str, response.context["messages"]))
    assert list(due_feeds()) == [feed]


def test_a_file_that_cannot_contain_records_is_refused_with_a_reason(admin_client):
    upload = SimpleUploadedFile("photo.csv", b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8)
    sent = {"feeds-0-protocol": "file", "feeds-0-base_url": "", "feeds-0-upload": upload}
    page = admin_client.post(reverse(ADD), form(**sent), headers=ENGLISH).content.decode()
    assert "photo.csv cannot be read. Content found: an image." in page
    assert not Feed.objects.exists()
    assert not uploads.stored_uploads()


@pytest.mark.parametrize("path", ["/etc/passwd", "file:///etc/passwd", "../secret_key", "C:\\x", "//host/share"])
def test_the_form_refuses_paths_on_the_server(admin_client, path):
    admin_client.post(reverse(ADD), form(**{"feeds-0-protocol": "file", "feeds-0-base_url": path}))
    assert not Feed.objects.exists()


def test_a_stored_path_is_kept_but_not_shown_and_not_used_for_another_protocol(admin_client, feed, tmp_path):
    feed.protocol, feed.base_url = "file", str(tmp_path / "secret-place" / "all.xml")
    feed.save()
    page = admin_client.get(reverse("admin:harvesting_feed_change", args=[feed.pk])).content.decode()
    assert "secret-place" not in page
    assert post_form(admin_client, feed, base_url="", silent_after_days="30").status_code == 302
    feed.refresh_from_db()
    assert (feed.base_url, feed.silent_after_days) == (str(tmp_path / "secret-place" / "all.xml"), 30)
    assert "base_url" in form_errors(post_form(admin_client, feed, base_url="", protocol="rss"))


def test_a_new_file_replaces_the_old_one_and_resets_the_feed(admin_client, feed, django_capture_on_commit_callbacks):
    old = uploads.store(SimpleUploadedFile("a.csv", b"1"))
    feed.protocol, feed.base_url, feed.watermark, feed.memory = "file", old, timezone.now(), {"etag": "x"}
    feed.save()
    with django_capture_on_commit_callbacks(execute=True):
        post_form(admin_client, feed, base_url="", upload=SimpleUploadedFile("b.csv", b"2"))
    feed.refresh_from_db()
    assert uploads.stored_uploads() == [feed.base_url]
    assert (shared.read(feed.base_url), feed.watermark, feed.memory) == (b"2", None, {})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"base_url": ""}, "base_url"),
        ({"base_url": "javascript:alert(1)"}, "base_url"),
        ({"base_url": "https://user:pass@a.example.jp/"}, "base_url"),
        ({"upload": SimpleUploadedFile("a.csv", b"1")}, "upload"),
        ({"schedule": "cron"}, "cron"),
        ({"cron": "61 * * * *"}, "cron"),
        ({"cron": "* * * * *"}, "cron"),
        ({"encoding": "klingon"}, "encoding"),
        ({"encoding": "zip"}, "encoding"),
        ({"quiet_from": "09:00"}, "quiet_until"),
        ({"quiet_from": "09:00", "quiet_until": "09:00"}, "quiet_until"),
        ({"ca_certificate": "hello"}, "ca_certificate"),
        ({"ca_certificate": "-----BEGIN PRIVATE KEY-----"}, "ca_certificate"),
        ({"ca_certificate": pem(days=-1)}, "ca_certificate"),
        ({"columns": "書名 = nonsense"}, "columns"),
        ({"login_kind": "basic", "login_name": "u"}, "login_secret"),
        ({"login_kind": "header", "login_secret": "s"}, "login_header"),
        ({"login_kind": "bearer", "login_secret": "日本"}, "login_secret"),
        ({"login_secret": "s"}, "login_kind"),
        ({"full_url": "ftp://a.example.jp/"}, "full_url"),
    ],
)
def test_an_invalid_value_is_reported_at_its_field(admin_client, feed, changes, field):
    assert list(form_errors(post_form(admin_client, feed, **changes))) == [field]


def test_every_setting_of_a_feed_is_stored(admin_client, feed):
    sent = {"schedule": "cron", "cron": "30 3 * * 1-5", "quiet_from": "09:00", "quiet_until": "17:00"}
    sent |= {"ca_certificate": pem(), "columns": "書名 = title\r\n著者＝creator", "encoding": "Shift_JIS"}
    response = post_form(admin_client, feed, **sent, method="POST", full_every_days="0")
    assert response.status_code == 302, form_errors(response)
    feed.refresh_from_db()
    assert feed.columns == {"書名": "title", "著者": "creator"}
    assert (feed.cron, feed.method, feed.full_every_days) == ("30 3 * * 1-5", "POST", 0)
    assert not FeedForm(form_data(feed), instance=feed).changed_data


def test_a_login_is_stored_encrypted_and_never_shown(admin_client, feed):
    post_form(admin_client, feed, login_kind="basic", login_name="reader", login_secret="canary-1")
    feed.refresh_from_db()
    assert open_credentials(bytes(feed.credentials)).secret == "canary-1"
    pages = [reverse("admin:harvesting_feed_change", args=[feed.pk]), reverse("admin:harvesting_feed_changelist")]
    pages += [reverse("admin:harvesting_feed_history", args=[feed.pk])]
    pages += [reverse("admin:harvesting_repository_change", args=[feed.repository_id])]
    for page in pages:
        assert "canary-1" not in admin_client.get(page).content.decode()
    post_form(admin_client, feed, forget_login="on")
    feed.refresh_from_db()
    assert bytes(feed.credentials) == b""


def test_a_form_with_errors_does_not_return_the_secret(admin_client, feed):
    response = post_form(admin_client, feed, login_kind="basic", login_secret="canary-2")
    assert form_errors(response)
    assert "canary-2" not in response.content.decode()


@pytest.mark.parametrize("changes", [{"base_url": "https://evil.example/"}, {"full_url": "https://evil.example/"}])
def test_a_stored_login_is_not_sent_to_another_server(admin_client, feed, changes):
    feed.credentials = seal_credentials(Credentials(kind="bearer", secret="canary-3"))
    feed.save()
    assert list(form_errors(post_form(admin_client, feed, **changes))) == ["login_kind"]
    assert post_form(admin_client, feed, **changes, forget_login="on").status_code == 302
    assert post_form(admin_client, feed, base_url="https://evil.example/oai2").status_code == 302


def test_a_change_of_address_is_recorded_in_the_history(admin_client, feed):
    post_form(admin_client, feed, base_url="https://b.example.jp/oai")
    message = LogEntry.objects.get().get_change_message()
    assert "https://a.example.jp/oai" in message
    assert "https://b.example.jp/oai" in message


def test_another_format_resets_the_watermark_and_another_schedule_does_not(admin_client, feed):
    Feed.objects.update(watermark=timezone.now())
    post_form(admin_client, feed, schedule="weekly")
    feed.refresh_from_db()
    assert feed.watermark
    post_form(admin_client, feed, metadata_prefix="oai_dc")
    feed.refresh_from_db()
    assert feed.watermark is None


def test_the_next_runs_are_shown_after_a_change_of_schedule(admin_client, feed):
    url = reverse("admin:harvesting_feed_change", args=[feed.pk])
    response = admin_client.post(url, form_data(feed, schedule="cron", cron="30 3 * * *"), follow=True)
    assert any("3:30" in str(message) for message in response.context["messages"])


def test_a_librarian_edits_only_the_feeds_of_own_repositories(client, librarian, feed):  # noqa: F811
    client.force_login(librarian)
    url = reverse("admin:harvesting_feed_change", args=[feed.pk])
    assert client.get(url).status_code == 302  # Django's response for an object that does not exist
    feed.repository.managers.add(librarian)
    assert client.get(url).status_code == 200
    assert post_form(client, feed, schedule="monthly").status_code == 302
    feed.refresh_from_db()
    assert feed.schedule == "monthly"
