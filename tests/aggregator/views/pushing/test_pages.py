"""The page about pushed records, and joining as a provider that pushes."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from core.files import shared
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.joining import application as joining
from harvesting.models import Application, AuditEntry, Feed, Push, PushToken, Repository, SourceRecord
from harvesting.pushes.tokens import MOST_TOKENS
from harvesting.registry.registration import register
from tests.aggregator.views.manage.test_join import begin, no_queue, person, run_queued_tests  # noqa: F401
from tests.harvesting.pushes.pushed import line, lines, push, work_off

pytestmark = pytest.mark.django_db
TOKEN = re.compile(r"push_[\w-]{43}")


@pytest.fixture
def librarian():
    return person("hanako", LIBRARIANS)


@pytest.fixture
def provider(librarian):
    repository = register(Repository(name="見本図書館", state="live"), [])
    repository.managers.set([librarian.session["_auth_user_id"]])
    return repository


@pytest.fixture
def page(provider) -> str:
    return f"/manage/providers/{provider.number}/push"


def make_token(client, page, name="export") -> str:
    return TOKEN.search(client.post(page, {"name": name}).content.decode())[0]


def test_the_first_declaration_adds_the_feed(librarian, page, provider):
    assert "Create a token" not in librarian.get(page).content.decode()
    assert librarian.post(page, {"part": "upload", "push_whole": "True"}).status_code == 302
    feed = provider.feeds.get()
    assert (feed.protocol, feed.push_whole, feed.base_url, feed.schedule) == ("push", True, "", "manual")
    librarian.post(page, {"part": "upload", "push_whole": "False"})
    feed.refresh_from_db()
    assert not feed.push_whole
    assert provider.feeds.count() == 1
    assert librarian.post(page, {"part": "upload"}).status_code == 422
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"feed.added", "feed.changed"}


def test_a_token_is_shown_once_and_works_until_it_is_revoked(librarian, page, provider):
    librarian.post(page, {"part": "upload", "push_whole": "False"})
    token = make_token(librarian, page)
    shown = librarian.get(page)
    assert token not in shown.content.decode()
    assert token[:9] in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    address = f"/api/push/{provider.number}"
    headers = {"Authorization": f"Bearer {token}"}
    assert address in shown.content.decode()
    assert Client().get(address, headers=headers).status_code == 200
    assert librarian.post(f"{page}/{PushToken.objects.get().pk}/revoke").status_code == 302
    assert Client().get(address, headers=headers).status_code == 401
    actions = list(AuditEntry.objects.values_list("action", flat=True))
    assert {"push_token.made", "push_token.revoked"} <= set(actions)
    assert token not in str(list(AuditEntry.objects.values_list()))


def test_tokens_have_different_names_and_a_limit(librarian, page, provider):
    librarian.post(page, {"part": "upload", "push_whole": "False"})
    make_token(librarian, page)
    assert librarian.post(page, {"name": "export"}).status_code == 422
    assert librarian.post(page, {"name": ""}).status_code == 422
    for number in range(MOST_TOKENS - 1):
        make_token(librarian, page, f"t{number}")
    assert librarian.post(page, {"name": "one more"}).status_code == 422
    assert PushToken.objects.count() == MOST_TOKENS


def test_the_page_is_only_for_librarians_of_the_provider(librarian, page, provider, client):
    librarian.post(page, {"part": "upload", "push_whole": "False"})
    make_token(librarian, page)
    revoke = f"{page}/{PushToken.objects.get().pk}/revoke"
    other = person("jiro", LIBRARIANS)
    assert (other.get(page).status_code, other.post(page, {"name": "x"}).status_code) == (404, 404)
    assert (other.post(revoke).status_code, client.post(revoke).status_code) == (404, 302)
    assert client.get(page).status_code == 302
    assert not PushToken.objects.get().revoked
    assert person("taro", STAFF).get(page).status_code == 200
    second = register(Repository(name="別の館", state="live"), [])
    second.managers.set([librarian.session["_auth_user_id"]])
    assert librarian.post(revoke.replace(provider.number, second.number)).status_code == 404


def test_the_page_shows_what_arrived(librarian, page, provider):
    librarian.post(page, {"part": "upload", "push_whole": "False"})
    feed = provider.feeds.get()
    push(feed, lines(3), name="books.jsonl", sender="export")
    push(feed, (line("9") + '{"identifier":"oai:x:2","record":{"titles":[]}}\n').encode())
    work_off()
    push(feed, lines(1), "record", identifier="oai:x:1")
    shown = librarian.get(page).content.decode()
    for text in ("books.jsonl", "partly succeeded", "could not be registered", "The push waits for its turn."):
        assert text in shown, text


def test_a_feed_of_pushes_is_edited_like_any_other(librarian, page, provider):
    form = f"/manage/providers/{provider.number}/feeds/new"
    values = {"protocol": "push", "base_url": "", "metadata_prefix": "", "schedule": "daily", "silent_after_days": "90"}
    assert librarian.post(form, {**values, "base_url": "https://a.example.jp/"}).status_code == 422
    assert librarian.post(form, values).status_code == 302
    feed = provider.feeds.get()
    assert (feed.protocol, feed.schedule, feed.metadata_prefix) == ("push", "manual", "")
    assert "sent by the library itself" in librarian.get(f"/manage/providers/{provider.number}/").content.decode()
    assert "Nothing can be fetched" in start(librarian, provider)


def start(client, provider) -> str:
    feed = provider.feeds.get()
    answer = client.post(
        f"/manage/harvests/{provider.number}/start", {"chosen_feed": feed.pk, "what": "everything"}, follow=True
    )
    return answer.content.decode()


def test_a_library_joins_by_pushing(librarian):
    draft = begin(librarian)
    assert librarian.post(f"{draft}/address", {"protocol": "push"}).status_code == 422
    file = SimpleUploadedFile("list.csv", "書名,ISBN\nこころ,9784101010137\n".encode())
    assert librarian.post(f"{draft}/address", {"protocol": "push", "upload": file}).status_code == 302
    run_queued_tests()
    librarian.post(f"{draft}/offer", {"format": "json"})
    run_queued_tests()
    assert "こころ" in librarian.get(f"{draft}/sample").content.decode()
    librarian.post(f"{draft}/links", {})
    librarian.post(f"{draft}/schedule", {"schedule": "daily"})
    librarian.post(f"{draft}/contact", {"name": "見本", "kind": "library", "contact_email": "a@example.jp"})
    assert "sent by the library itself" in librarian.get(f"{draft}/summary").content.decode()
    assert librarian.post(f"{draft}/summary").status_code == 302
    feed, first = Feed.objects.get(), Push.objects.get()
    assert (feed.protocol, feed.base_url, feed.schedule) == ("push", "", "manual")
    assert (first.name, first.state, first.sender) == ("list.csv", "waiting", "hanako")
    call_command("dispatch", "--once", "--work")
    assert not SourceRecord.objects.exists()
    user = first.feed.repository.managers.get()
    joining.answer(Application.objects.get(), user, granted=True)
    call_command("dispatch", "--once", "--work")
    call_command("dispatch", "--once", "--work")
    assert SourceRecord.objects.count() == 1
    assert not shared.folders("uploads")
