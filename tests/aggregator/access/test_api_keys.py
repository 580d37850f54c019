"""API keys: shown once, stored as a hash, each with its own budget and usage count; staff create and revoke them."""

import secrets
import time
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, User
from django.core.cache import caches
from django.db import OperationalError

from aggregator.access import api_keys
from aggregator.access.api_keys import Holder, UsageCounter, create_key, holder_of_key
from aggregator.models import ApiKey, ApiKeyDay
from core.caches import memory
from harvesting.accounts.roles import STAFF
from harvesting.models import AuditEntry

PROGRAM = {"name": "Portal", "contact": "portal@example.jp", "purpose": "", "budget": 2}


@pytest.fixture
def staff(client, db):
    person = User.objects.create_user("staff")
    person.groups.add(Group.objects.get_or_create(name=STAFF)[0])
    client.force_login(person)
    return person


@pytest.fixture
def fresh(monkeypatch):
    """Empty caches and counters, as in a process that has just started."""
    caches[api_keys.CACHE].clear()
    usage = UsageCounter()
    for module in (
        "aggregator.middleware.api_key_holder",
        "aggregator.provision.api.views",
        "aggregator.views.manage.api_keys",
    ):
        monkeypatch.setattr(f"{module}.USAGE", usage)
    return usage


def ask(client, token, path="/api/search", **headers):
    return client.get(path, headers={"Authorization": f"Bearer {token}", **headers})


def test_a_key_is_stored_as_a_hash_only(db):
    key, token = create_key(PROGRAM, None)
    stored = b"".join(bytes(digest) for digest in ApiKey.objects.values_list("digest", flat=True))
    assert token.startswith("agg_") and len(token) > 40
    assert token.encode() not in stored
    assert holder_of_key(token) == Holder(key.pk, "Portal", 2)


def test_a_revoked_key_stops_working_after_half_a_minute(db, monkeypatch):
    key, token = create_key(PROGRAM, None)
    assert holder_of_key(token)
    ApiKey.objects.update(revoked=key.created)
    assert holder_of_key(token)
    later = time.time() + api_keys.KNOWN_SECONDS + 1
    monkeypatch.setattr(memory, "time", SimpleNamespace(time=lambda: later))
    assert holder_of_key(token) is None


def test_an_unknown_key_is_looked_up_once(db, django_assert_num_queries):
    token = f"{api_keys.PREFIX}unknown-{secrets.token_hex()}"
    with django_assert_num_queries(1):
        assert holder_of_key(token) is None
        assert holder_of_key(token) is None


def test_a_key_has_a_budget_of_its_own(client, shelf, fresh):
    _key, token = create_key(PROGRAM, None)
    answers = [ask(client, token) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert answers[0]["RateLimit-Policy"] == '"key";q=2;w=60'
    assert int(answers[2]["Retry-After"]) >= 1
    assert answers[2].json()["bulk"]["JSON"].endswith("/repositories.json")
    assert client.get("/api/search").status_code == 200


def test_the_holder_of_a_key_can_see_its_usage(client, shelf, fresh):
    _key, token = create_key(PROGRAM, None)
    for _ in range(3):
        ask(client, token)
    usage = ask(client, token, "/api/usage").json()
    assert (usage["name"], usage["budget"]) == ("Portal", 2)
    assert [(day["answered"], day["refused"]) for day in usage["days"]] == [(2, 1)]


@pytest.mark.parametrize("token", ["agg_wrong", "junk", "", "a" * 5000, "agg_?"])
def test_an_invalid_key_is_answered_with_401(client, shelf, fresh, token):
    answer = ask(client, token)
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert "invalid_token" in answer["WWW-Authenticate"]


def test_pages_ignore_keys(client, shelf, fresh):
    assert ask(client, "agg_wrong", "/").status_code == 200
    assert client.get("/api/usage").status_code == 401


def test_a_key_in_an_address_is_a_bad_parameter(client, shelf, fresh):
    assert client.get("/api/search?key=agg_x").status_code == 400


def test_counts_are_kept_while_the_database_is_locked(db, monkeypatch):
    key, _token = create_key(PROGRAM, None)
    usage = UsageCounter()
    usage.count(Holder(key.pk, "Portal", 2), "answered")
    with monkeypatch.context() as patch:
        patch.setattr(api_keys, "_add", _locked)
        usage.write()
    usage.write()
    assert ApiKeyDay.objects.get().answered == 1


def _locked(*_row):
    raise OperationalError("database is locked")


def test_staff_create_a_key_that_is_shown_once(client, staff, fresh):
    page = client.post("/manage/keys/", PROGRAM)
    key = ApiKey.objects.get()
    token = page.context["token"]
    assert (page.status_code, token in page.text, key.created_by) == (200, True, staff)
    assert "no-store" in page["Cache-Control"]
    assert token not in client.get("/manage/keys/").text + client.get(f"/manage/keys/{key.pk}").text
    entry = AuditEntry.objects.get(action="key.made")
    assert token not in str(entry.details)


def test_a_form_sent_twice_creates_one_key(client, staff, fresh):
    client.post("/manage/keys/", PROGRAM)
    assert client.post("/manage/keys/", PROGRAM).status_code == 400
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize("wrong", [{"name": ""}, {"contact": "nobody"}, {"budget": 0}, {"budget": 10**9}])
def test_an_invalid_form_is_shown_again_with_its_errors(client, staff, fresh, wrong):
    page = client.post("/manage/keys/", PROGRAM | wrong)
    assert (page.status_code, 'class="fault"' in page.text) == (400, True)


def test_staff_revoke_a_key(client, staff, fresh):
    key, _token = create_key(PROGRAM, staff)
    client.post(f"/manage/keys/{key.pk}/revoke", {"reason": "lost"})
    key.refresh_from_db()
    assert key.revoked
    assert AuditEntry.objects.get(action="key.revoked").reason == "lost"
    assert client.get(f"/manage/keys/{key.pk}").status_code == 200
    assert client.post("/manage/keys/", PROGRAM).status_code == 200


def test_the_number_of_queries_does_not_grow_with_the_keys(client, staff, fresh, django_assert_max_num_queries):
    for number in range(20):
        create_key(PROGRAM | {"name": f"Portal {number}"}, staff)
    with django_assert_max_num_queries(13):
        client.get("/manage/keys/")
