"""Keys of programs: shown once, stored as a hash, with a budget and a count of their own; staff make and revoke."""

import pytest
from django.contrib.auth.models import Group, User
from django.db import OperationalError

from aggregator.access import api_keys as keys
from aggregator.access.api_keys import Holder, KnownKeys, Uses, make
from aggregator.models import ApiKey, ApiKeyDay
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
    """Servers that know nothing yet."""
    monkeypatch.setattr("aggregator.middleware.api_key_holder.KNOWN", KnownKeys())
    uses = Uses()
    for module in (
        "aggregator.middleware.api_key_holder",
        "aggregator.provision.api.views",
        "aggregator.views.manage.api_keys",
    ):
        monkeypatch.setattr(f"{module}.USES", uses)
    return uses


def ask(client, token, path="/api/search", **headers):
    return client.get(path, headers={"Authorization": f"Bearer {token}", **headers})


def test_a_key_is_stored_as_a_hash_only(db):
    key, token = make(PROGRAM, None)
    stored = b"".join(bytes(each) for each in ApiKey.objects.values_list("digest", flat=True))
    assert token.startswith("agg_") and len(token) > 40
    assert token.encode() not in stored
    assert KnownKeys().holder(token) == Holder(key.pk, "Portal", 2)


def test_a_revoked_key_is_dead_after_half_a_minute(db):
    key, token = make(PROGRAM, None)
    now = [0.0]
    known = KnownKeys(lambda: now[0])
    assert known.holder(token)
    ApiKey.objects.update(revoked=key.created)
    now[0] = keys.KNOWN_SECONDS + 1
    assert known.holder(token) is None


def test_a_key_has_a_budget_of_its_own(client, shelf, fresh):
    _key, token = make(PROGRAM, None)
    answers = [ask(client, token) for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert [each["RateLimit-Remaining"] for each in answers] == ["1", "0", "0"]
    assert answers[0]["RateLimit-Policy"] == '"key";q=2;w=60'
    assert int(answers[2]["Retry-After"]) >= 1
    assert answers[2].json()["bulk"]["JSON"].endswith("/repositories.json")
    assert client.get("/api/search").status_code == 200


def test_its_use_is_told_to_its_owner(client, shelf, fresh):
    _key, token = make(PROGRAM, None)
    for _ in range(3):
        ask(client, token)
    usage = ask(client, token, "/api/usage").json()
    assert (usage["name"], usage["budget"]) == ("Portal", 2)
    assert [(day["answered"], day["refused"]) for day in usage["days"]] == [(2, 1)]


@pytest.mark.parametrize("token", ["agg_wrong", "junk", "", "a" * 5000, "agg_?"])
def test_a_wrong_key_is_told(client, shelf, fresh, token):
    answer = ask(client, token)
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert "invalid_token" in answer["WWW-Authenticate"]


def test_pages_know_nothing_of_keys(client, shelf, fresh):
    assert ask(client, "agg_wrong", "/").status_code == 200
    assert client.get("/api/usage").status_code == 401


def test_a_key_in_an_address_is_a_bad_parameter(client, shelf, fresh):
    assert client.get("/api/search?key=agg_x").status_code == 400


def test_what_the_database_does_not_take_is_kept(db, monkeypatch):
    key, _token = make(PROGRAM, None)
    uses = Uses()
    uses.count(Holder(key.pk, "Portal", 2), "answered")
    with monkeypatch.context() as patch:
        patch.setattr(keys, "_add", _locked)
        uses.write()
    uses.write()
    assert ApiKeyDay.objects.get().answered == 1


def _locked(*_row):
    raise OperationalError("database is locked")


def test_staff_make_a_key_that_is_shown_once(client, staff, fresh):
    page = client.post("/manage/keys/", PROGRAM)
    key = ApiKey.objects.get()
    token = page.context["token"]
    assert (page.status_code, token in page.text, key.created_by) == (200, True, staff)
    assert "no-store" in page["Cache-Control"]
    assert token not in client.get("/manage/keys/").text + client.get(f"/manage/keys/{key.pk}").text
    entry = AuditEntry.objects.get(action="key.made")
    assert token not in str(entry.details)


def test_a_form_sent_twice_makes_one_key(client, staff, fresh):
    client.post("/manage/keys/", PROGRAM)
    assert client.post("/manage/keys/", PROGRAM).status_code == 400
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize("wrong", [{"name": ""}, {"contact": "nobody"}, {"budget": 0}, {"budget": 10**9}])
def test_a_bad_form_says_so(client, staff, fresh, wrong):
    page = client.post("/manage/keys/", PROGRAM | wrong)
    assert (page.status_code, 'class="fault"' in page.text) == (400, True)


def test_staff_revoke_a_key(client, staff, fresh):
    key, _token = make(PROGRAM, staff)
    client.post(f"/manage/keys/{key.pk}/revoke", {"reason": "lost"})
    key.refresh_from_db()
    assert key.revoked
    assert AuditEntry.objects.get(action="key.revoked").reason == "lost"
    assert client.get(f"/manage/keys/{key.pk}").status_code == 200
    assert client.post("/manage/keys/", PROGRAM).status_code == 200


def test_the_list_asks_little_however_many_there_are(client, staff, fresh, django_assert_max_num_queries):
    for number in range(20):
        make(PROGRAM | {"name": f"Portal {number}"}, staff)
    with django_assert_max_num_queries(10):
        client.get("/manage/keys/")
