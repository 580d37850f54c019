"""Logging in, out, and a forgotten password: nobody learns which accounts there are, nobody guesses for long."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from aggregator.access import login_throttle
from harvesting.models import AuditEntry, LoginThrottle, OutgoingMessage
from harvesting.notifications.outbox import send_due

pytestmark = pytest.mark.django_db
LOGIN = "/login"


@pytest.fixture
def her():
    return get_user_model().objects.create_user("hanako", "hanako@example.jp", "green books sleep", is_superuser=True)


def enter(client, password: str = "green books sleep", name: str = "hanako", where: str = "203.0.113.7", **fields):
    return client.post(LOGIN, {"username": name, "password": password, **fields}, REMOTE_ADDR=where)


def test_who_logs_in_comes_to_where_she_wanted_with_a_new_session(client, her):
    client.get(reverse("manage"))
    client.session["before"] = 1
    answer = enter(client, next="/manage/trace/")
    assert answer.url == "/manage/trace/"
    assert AuditEntry.objects.get().action == "login"


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_no_login_leads_to_another_site(client, her, target):
    assert enter(client, next=target).url == "/manage/"


def test_the_session_changes_with_the_login(client, her):
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


def test_a_wrong_password_and_no_account_answer_alike(client, her):
    texts = {re.sub(r'value="[^"]*"', "", enter(client, "wrong", name).text) for name in ("hanako", "nobody")}
    assert len(texts) == 1


def test_a_closed_account_answers_like_a_wrong_password(client, her):
    wrong = re.sub(r'value="[^"]*"', "", enter(client, "wrong").text)
    her.is_active = False
    her.save()
    assert re.sub(r'value="[^"]*"', "", enter(client).text) == wrong


def test_of_a_thousand_guesses_hardly_any_reaches_a_password(client, her, monkeypatch):
    looked = []
    monkeypatch.setattr("django.contrib.auth.backends.ModelBackend.authenticate", lambda *a, **b: looked.append(1))
    for _guess in range(1000):
        enter(client, "wrong")
    assert 4 < len(looked) <= 10


def test_guesses_from_everywhere_are_held_but_never_where_she_logs_in(client, her):
    enter(client, where="198.51.100.1")
    for number in range(40):
        enter(client, "wrong", where=f"203.0.{number}.7")
    assert login_throttle.wait("hanako", "192.0.2.0/24") > 0
    assert enter(client, where="198.51.100.1").status_code == 302


def test_a_network_that_tries_many_accounts_is_held(client):
    for number in range(32):
        enter(client, "wrong", f"name{number}")
    assert login_throttle.wait("hanako", "203.0.113.0/24") > 0


def test_after_a_while_one_may_try_again(client, her):
    for _guess in range(6):
        enter(client, "wrong")
    assert enter(client).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert enter(client).status_code == 302


def test_what_is_kept_names_nobody_and_is_forgotten(client, her):
    enter(client, "wrong")
    kept = str(list(LoginThrottle.objects.values()))
    assert "hanako" not in kept
    assert "203.0" not in kept
    assert login_throttle.prune(timezone.now() + timedelta(days=200)) == 3


def test_a_forgotten_password_is_set_by_the_link_of_a_mail_once(client, her):
    client.post(reverse("password_forgotten"), {"email": "hanako@example.jp"})
    send_due()
    address = re.search(r"http://127\.0\.0\.1:8000(\S+)", mail.outbox[0].body)[1]
    form = client.get(address, follow=True)
    assert address not in form.request["PATH_INFO"]  # the token is in no history
    new = {"new_password1": "blue books dream", "new_password2": "blue books dream"}
    assert client.post(form.request["PATH_INFO"], new).status_code == 302
    assert enter(client, "blue books dream").status_code == 302
    assert "no longer" not in client.get(address, follow=True).text
    assert client.get(address, follow=True).context["validlink"] is False


def test_asking_for_a_new_password_tells_nothing_about_accounts(client, her):
    answers = [client.post(reverse("password_forgotten"), {"email": each}, follow=True).text
               for each in ("hanako@example.jp", "nobody@example.jp")]  # fmt: skip
    assert answers[0] == answers[1]
    assert OutgoingMessage.objects.count() == 1


def test_logging_out_is_a_button(client, her):
    client.force_login(her)
    assert client.get("/logout").status_code == 405
    client.post("/logout")
    assert client.get(reverse("manage")).status_code == 302
