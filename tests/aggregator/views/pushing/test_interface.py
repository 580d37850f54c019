"""The interface for pushing: what a system administrator sends with curl, and what comes back."""

import gzip
import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from aggregator.views.pushing import interface
from core.files import shared
from harvesting.accounts.roles import LIBRARIANS
from harvesting.models import Harvest, Push, PushToken, Repository
from harvesting.pushes import receiving
from harvesting.pushes.tokens import create_token, revoke_token
from tests.harvesting.pushes.pushed import line, lines, live, pushing_feed, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed():
    return pushing_feed()


@pytest.fixture
def person(feed):
    person = User.objects.create_user("司書")
    person.groups.add(Group.objects.get_or_create(name=LIBRARIANS)[0])
    feed.repository.managers.add(person)
    return person


@pytest.fixture
def send(feed, person):
    """Send a request with a token of the provider, without cookies and with CSRF checks as on a site."""
    _row, token = create_token(feed.repository, "export", person)
    client = Client(enforce_csrf_checks=True)

    def request(body=b"", path="", method="POST", content_type="application/octet-stream", **headers):
        address = f"/api/push/{feed.repository.number}{path}"
        headers = {
            "Authorization": f"Bearer {token}",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        return client.generic(method, address, body, content_type, headers=headers)

    return request


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture(autouse=True)
def fresh_limits():
    interface._limit.cache_clear()
    yield
    interface._limit.cache_clear()


def test_a_file_is_taken_and_reported(send, feed):
    answer = send(lines(3), Content_Disposition='attachment; filename="本の一覧.jsonl"')
    assert answer.status_code == 202
    assert answer["Cache-Control"] == "private, no-store"
    report = answer.json()
    assert (report["state"], report["over"]) == ("waiting", False)
    assert answer["Location"] == report["url"]
    work_off()
    done = send(path=f"/{report['push']}", method="GET")
    assert done.status_code == 200
    assert done.json()["accepted"] == 3
    assert done.json()["counts"]["created"] == 3
    assert live(feed) == {"0", "1", "2"}


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_form_that_curl_announces_is_no_obstacle(send, feed, slash):
    answer = send(lines(1), slash, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 202
    work_off()
    assert live(feed) == {"0"}


def test_a_sender_can_wait_for_the_report(send, monkeypatch):
    monkeypatch.setattr(interface.time, "sleep", lambda seconds: work_off())
    answer = send(lines(2), Prefer="respond-async, wait=10")
    assert (answer.status_code, answer.json()["state"]) == (200, "succeeded")


def test_waiting_has_an_end(send, monkeypatch):
    monkeypatch.setattr(interface, "LONGEST_WAIT", 0.01)
    monkeypatch.setattr(interface, "STEP", 0.001)
    answer = send(lines(2), Prefer="wait=9999")
    assert answer.status_code == 202
    assert answer["Retry-After"]


def test_one_record_is_put_and_deleted(send, feed):
    send(lines(20))
    work_off()
    body = '{"titles": [{"value": "別の本"}]}'.encode()
    assert send(body, "/records/oai%3Ax%3A5", "PUT").status_code == 202
    assert send(b"", "/records/oai:x:6", "DELETE").status_code == 202
    assert send(b"oai:x:7\noai:x:8\n", "/deletions").status_code == 202
    runs = work_off()
    assert [(run.updated, run.deleted) for run in runs] == [(1, 0), (0, 1), (0, 2)]
    assert live(feed) == {str(number) for number in range(20)} - {"6", "7", "8"}


def test_the_same_key_gives_the_same_answer(send):
    first = send(lines(2), Idempotency_Key="1")
    work_off()
    again = send(lines(2), Idempotency_Key='"1"')
    assert again.status_code == 200
    assert again.json()["push"] == first.json()["push"]
    other = send(lines(3), Idempotency_Key="1")
    assert (other.status_code, other.json()["code"]) == (422, "push.key_reused")
    assert Push.objects.count() == 1


def test_a_repeated_request_is_answered_when_the_quota_is_used_up(send, monkeypatch):
    first = send(lines(2), Idempotency_Key="1")
    monkeypatch.setattr("harvesting.pushes.receiving.DAY_PUSHES", 1)
    assert send(lines(2), Idempotency_Key="2").json()["code"] == "push.too_many"
    assert send(lines(2), Idempotency_Key="1").json()["push"] == first.json()["push"]


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"", {"Content_Length": "0"}, 422, "push.empty"),
        (b"", {}, 411, "push.length"),
        (b"<!DOCTYPE html><html><body>404</body></html>", {}, 422, "file.not_readable"),
        (b"%PDF-1.7", {}, 422, "file.not_readable"),
        (b"\x01\x02\x03\x04\x05\x06\x07\x08" * 20, {}, 422, "file.not_readable"),
        (b'[{"titles": []}]', {}, 422, "file.not_readable"),
        (b"PK\x03\x04" + b"\0" * 100, {}, 422, "archive.damaged"),
        (b"\x1f\x8b\x08" + b"\xff" * 100, {}, 422, "archive.damaged"),
        (b"{}", {"Content_Encoding": "br"}, 415, "push.coding"),
        (b"{}", {"Idempotency_Key": "x" * 500}, 422, "push.key"),
    ],
)
def test_bodies_that_cannot_be_records_are_refused_in_words(send, body, headers, status, code):
    answer = send(body, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["messages"]["ja"] != answer.json()["messages"]["en"]
    assert not Push.objects.exists()
    assert not shared.folders("uploads")


def test_a_form_is_refused(send):
    answer = send(b"--x\r\n", content_type="multipart/form-data; boundary=x")
    assert (answer.status_code, answer.json()["code"]) == (415, "push.form")


def test_large_bodies_are_refused_before_they_are_read(send, monkeypatch):
    monkeypatch.setattr(receiving, "MAX_BYTES", 100)
    assert send(b"x" * 101).status_code == 413
    monkeypatch.setitem(receiving.MOST_BYTES, Push.Content.REMOVAL, 10)
    assert send(b"x" * 11, "/deletions").status_code == 413


def test_a_body_is_never_in_memory_as_a_whole(send, monkeypatch):
    sizes = []

    class Stream:
        left = 3_000_000

        def read(self, size):
            sizes.append(size)
            self.left -= size
            return b"x" * size if self.left > 0 else b""

    with receiving.spooled(Stream(), None, receiving.MAX_BYTES) as body:
        assert body.size > 2_000_000
    assert max(sizes) <= receiving.CHUNK
    assert not body.path.exists()


def test_a_body_that_ends_early_is_not_stored():
    with pytest.raises(receiving.TransportError) as error, receiving.spooled(io.BytesIO(b"abc"), 10, 100):
        pass
    assert error.value.code == "push.short"


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("books.jsonl", data)
    return file.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, zipped], ids=["gzip", "zip"])
def test_packed_bodies_are_read(send, feed, pack):
    send(pack(lines(3)))
    work_off()
    assert live(feed) == {"0", "1", "2"}


def test_a_bomb_fails_its_run_only(send, feed):
    send(lines(1))
    work_off()
    send(zipped(line("bomb").encode() + b" " * 60_000_000))
    (run,) = work_off()
    assert (run.state, run.code) == ("failed", "archive.bomb")
    assert live(feed) == {"0"}


def test_another_encoding_is_reported(send, feed):
    send("書名,著者名,ISBN\r\nこころ,夏目漱石,9784003101117\r\n".encode("shift_jis"))
    (run,) = work_off()
    assert "file.encoding_guessed" in run.observations


@pytest.mark.parametrize("token", ["", "push_wrong", "agg_x", "push_" + "x" * 43, "push_" + "x" * 1000])
def test_a_wrong_token_is_refused(feed, token):
    address = f"/api/push/{feed.repository.number}"
    answer = Client().post(address, b"{}", "text/plain", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401
    assert answer.json()["code"] == "push.token"
    assert "Bearer" in answer["WWW-Authenticate"]
    assert Client().post(address, b"{}", "text/plain").status_code == 401


def test_a_token_is_good_for_its_provider_only(send, feed, person):
    other = pushing_feed()
    _row, token = create_token(other.repository, "export", person)
    answer = Client().get(f"/api/push/{feed.repository.number}", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401
    made = send(lines(1)).json()["push"]
    for number, status in ((other.repository.number, 404), (feed.repository.number, 401), ("R999999999", 401)):
        report = Client().get(f"/api/push/{number}/{made}", headers={"Authorization": f"Bearer {token}"})
        assert report.status_code == status
    assert Client().get("/api/usage", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_revoked_token_stops_at_once(send, person):
    assert send(method="GET").status_code == 200
    revoke_token(PushToken.objects.select_related("repository").get(), person)
    assert send(method="GET").status_code == 401


def test_only_a_keyed_hash_of_a_token_is_stored(feed, person, settings):
    row, token = create_token(feed.repository, "export", person)
    stored = PushToken.objects.values_list().get(pk=row.pk)
    assert token not in str(stored)
    address = f"/api/push/{feed.repository.number}"
    assert Client().get(address, headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert PushToken.objects.get().used
    settings.SECRET_KEY = "another" * 10
    assert Client().get(address, headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_token_has_a_budget(send, monkeypatch):
    monkeypatch.setattr(interface, "PER_HOUR", 2)
    assert [send(method="GET").status_code for _time in range(3)] == [200, 200, 429]
    assert int(send(method="GET")["Retry-After"]) > 0


def test_wrong_tokens_are_counted_by_network(feed, monkeypatch):
    monkeypatch.setattr(interface, "WRONG_TOKENS", 2)
    client = Client(REMOTE_ADDR="192.0.2.1")
    client = Client(REMOTE_ADDR="8.8.8.8")
    address = f"/api/push/{feed.repository.number}"
    assert [client.get(address).status_code for _time in range(3)] == [401, 401, 429]


@pytest.mark.parametrize("limit", ["MOST_WAITING", "DAY_PUSHES", "DAY_BYTES"])
def test_a_provider_has_a_quota(send, monkeypatch, limit):
    monkeypatch.setattr(receiving, limit, 1)
    assert send(lines(1)).status_code == 202
    send(lines(1))  # waits behind the first
    answer = send(lines(1))
    assert (answer.status_code, answer.json()["code"]) == (429, "push.too_many")
    assert int(answer["Retry-After"]) > 0
    Push.objects.update(received_at=timezone.now() - timedelta(days=2), state=Push.State.ENDED)
    assert send(lines(1)).status_code == 202


def test_a_provider_that_is_paused_takes_nothing(send, feed):
    Repository.objects.update(state="paused")
    assert (send(lines(1)).status_code, send(method="GET").status_code) == (409, 200)
    Repository.objects.update(state="live", approved=False)
    assert send(lines(1)).json()["code"] == "push.state"
    assert not Push.objects.exists()


def test_a_provider_without_a_feed_for_pushes_is_told(send, feed):
    feed.protocol = "file"
    feed.save()
    assert send(lines(1)).json()["code"] == "push.no_feed"


@pytest.mark.parametrize("path", ["/records/%20", "/records/a%0Ab", "/records/%E2%80%AE", "/records/" + "x" * 1500])
def test_impossible_identifiers_are_refused(send, path):
    assert send(b"{}", path, "PUT").json()["code"] == "push.identifier"


@pytest.mark.parametrize("body", [b"<a/>", b"\xff\xfe", b"a\0b", b'{"a": 1}', b"\n \n"])
def test_lists_that_are_none_are_refused(send, body):
    assert send(body, "/deletions").status_code == 422
    assert not Push.objects.exists()


def test_methods_without_meaning_are_refused(send):
    assert send(b"", "", "PUT").status_code == 405
    assert send(b"", "/deletions", "GET").status_code == 405
    assert send(b"", "/records/x", "GET").status_code == 405


def test_the_overview_names_limits_and_the_last_pushes(send):
    send(lines(1))
    page = send(method="GET").json()
    assert page["upload"] == "changes"
    assert page["limits"]["megabytes"] == 256
    assert [entry["state"] for entry in page["pushes"]] == ["waiting"]
    assert json.dumps(page)


def test_a_full_disk_is_told(send, monkeypatch):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(receiving.uploads, "store_file", full)
    answer = send(lines(1))
    assert (answer.status_code, answer.json()["code"]) == (507, "push.no_space")
    assert not Harvest.objects.exists()
