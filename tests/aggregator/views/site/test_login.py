"""Login, logout and forgotten passwords: answers do not reveal which accounts exist, and guessing is throttled."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import OperationalError, connection
from django.urls import reverse
from django.utils import timezone

from aggregator.access import login_throttle
from harvesting.models import AuditEntry, LoginThrottle, OutgoingMessage
from harvesting.notifications.outbox import send_due

pytestmark = pytest.mark.django_db
LOGIN = "/login"


@pytest.fixture
def account():
    return get_user_model().objects.create_user("hanako", "hanako@example.jp", "green books sleep", is_superuser=True)


def enter(client, password: str = "green books sleep", name: str = "hanako", where: str = "203.0.113.7", **fields):
    return client.post(LOGIN, {"username": name, "password": password, **fields}, REMOTE_ADDR=where)


def test_login_redirects_to_the_requested_page_and_is_audited(client, account):
    client.get(reverse("manage"))
    client.session["before"] = 1
    answer = enter(client, next="/manage/trace/")
    assert answer.url == "/manage/trace/"
    assert AuditEntry.objects.get().action == "login"


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_login_never_redirects_to_another_site(client, account, target):
    assert enter(client, next=target).url == "/manage/"


def test_the_session_changes_with_the_login(client, account):
    session = client.session
    session["x"] = 1
    session.save()
    client.cookies["sessionid"] = session.session_key
    enter(client)
    assert client.session.session_key != session.session_key


def test_the_admin_has_no_login_of_its_own(client):
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/login?next=")
    assert client.get("/admin/login/?next=/admin/").url == "/login?next=/admin/"
    assert client.post("/admin/login/").status_code == 405


def test_a_wrong_password_and_an_unknown_account_get_the_same_answer(client, account):
    texts = {re.sub(r'value="[^"]*"', "", enter(client, "wrong", name).text) for name in ("hanako", "nobody")}
    assert len(texts) == 1


def test_a_closed_account_gets_the_same_answer_as_a_wrong_password(client, account):
    wrong = re.sub(r'value="[^"]*"', "", enter(client, "wrong").text)
    account.is_active = False
    account.save()
    assert re.sub(r'value="[^"]*"', "", enter(client).text) == wrong


def test_of_a_hundred_guesses_few_passwords_are_checked(client, account, monkeypatch):
    checked = []
    monkeypatch.setattr("django.contrib.auth.backends.ModelBackend.authenticate", lambda *a, **b: checked.append(1))
    for _guess in range(100):
        enter(client, "wrong")
    assert 4 < len(checked) <= 10


def test_parallel_guesses_are_counted_before_any_password_is_checked(client, account, monkeypatch):
    """Every check of a password begins the next login, so that sixteen are under way at the same time."""
    checked = []

    def check(*_arguments, **_names):
        checked.append(1)
        if len(checked) < 16:
            enter(client, "wrong")

    monkeypatch.setattr("django.contrib.auth.backends.ModelBackend.authenticate", check)
    enter(client, "wrong")
    assert len(checked) == login_throttle.FREE_FAILURES["pair"] + 1
    assert set(LoginThrottle.objects.values_list("failures", flat=True)) == {5}


@pytest.mark.services
@pytest.mark.skipif(connection.vendor == "sqlite", reason="threads share no SQLite database in memory")
@pytest.mark.django_db(transaction=True)
def test_guesses_of_sixteen_threads_are_all_counted():
    def guess(_number: int) -> int:
        try:
            return login_throttle.begin("hanako", "203.0.113.0/24").wait
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as threads:
        waits = list(threads.map(guess, range(16)))
    assert waits.count(0) == login_throttle.FREE_FAILURES["pair"] + 1


def test_a_login_takes_back_its_count(client, account):
    for _login in range(40):
        assert enter(client).status_code == 302
    assert set(LoginThrottle.objects.values_list("failures", flat=True)) == {0}
    assert login_throttle.begin("somebody", "203.0.113.0/24").wait == 0


def test_a_login_leaves_the_wait_that_others_have_caused(client, account, monkeypatch):
    for number in range(30):
        enter(client, "wrong", f"name{number}")
    attempt = login_throttle.begin("hanako", "203.0.113.0/24")
    with time_machine.travel(timezone.now() + timedelta(seconds=5)):
        login_throttle.begin("name", "203.0.113.0/24")
        login_throttle.succeed(attempt, "hanako", "203.0.113.0/24")
        assert login_throttle.begin("hanako", "203.0.113.0/24").wait > 0


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (LOGIN, {"username": "hanako", "password": "green books sleep"}),
        ("/password/forgotten", {"email": "hanako@example.jp"}),
    ],
)
def test_while_the_disk_is_full_a_page_says_so(client, account, path, fields):
    def refuse_writes(run, sql, *rest):
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            raise OperationalError("database or disk is full")
        return run(sql, *rest)

    with connection.execute_wrapper(refuse_writes):
        answer = client.post(path, fields)
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert "満杯" in answer.text


def test_guesses_from_elsewhere_do_not_lock_out_the_usual_network(client, account):
    enter(client, where="198.51.100.1")
    for number in range(40):
        enter(client, "wrong", where=f"203.0.{number}.7")
    assert login_throttle.begin("hanako", "192.0.2.0/24").wait > 0
    assert enter(client, where="198.51.100.1").status_code == 302


def test_a_network_that_tries_many_accounts_is_throttled(client):
    for number in range(32):
        enter(client, "wrong", f"name{number}")
    assert login_throttle.begin("hanako", "203.0.113.0/24").wait > 0


def test_the_throttle_ends_after_a_while(client, account):
    for _guess in range(6):
        enter(client, "wrong")
    assert enter(client).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert enter(client).status_code == 302


def test_a_wait_that_a_fast_clock_has_begun_is_over(client, account):
    with time_machine.travel(timezone.now() + timedelta(days=400)):
        for _guess in range(6):
            enter(client, "wrong")
    assert enter(client).status_code == 302


def test_stored_attempts_name_nobody_and_are_pruned(client, account):
    enter(client, "wrong")
    stored = str(list(LoginThrottle.objects.values()))
    assert "hanako" not in stored
    assert "203.0" not in stored
    assert login_throttle.prune(timezone.now() + timedelta(days=200)) == 3


def test_the_link_for_a_forgotten_password_works_once(client, account):
    client.post(reverse("password_forgotten"), {"email": "hanako@example.jp"})
    send_due()
    address = re.search(r"http://127\.0\.0\.1:8000(\S+)", mail.outbox[0].body)[1]
    form = client.get(address, follow=True)
    token = address.rpartition("/")[2]
    assert not [row for row in Session.objects.all() if token in str(row.get_decoded())]
    assert address not in form.request["PATH_INFO"]  # else the browser's history would keep the token
    new = {"new_password1": "blue books dream", "new_password2": "blue books dream"}
    assert client.post(form.request["PATH_INFO"], new).status_code == 302
    assert enter(client, "blue books dream").status_code == 302
    assert "no longer" not in client.get(address, follow=True).text
    assert client.get(address, follow=True).context["validlink"] is False


def test_requesting_a_new_password_reveals_no_account(client, account):
    answers = [client.post(reverse("password_forgotten"), {"email": email}, follow=True).text
               for email in ("hanako@example.jp", "nobody@example.jp")]  # fmt: skip
    assert answers[0] == answers[1]
    send_due()
    assert OutgoingMessage.objects.count() == 1


def test_logout_requires_post(client, account):
    client.force_login(account)
    assert client.get("/logout").status_code == 405
    client.post("/logout")
    assert client.get(reverse("manage")).status_code == 302
