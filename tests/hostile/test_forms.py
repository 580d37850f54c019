"""Two hundred hostile texts in every field of every form: a response repeats them as plain text or not at all.

The forms are found on the pages themselves. Every submission is rolled back, so that each form finds the same site.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from aggregator.access.permissions import TABLE
from harvesting.accounts.roles import ensure_roles
from harvesting.trials import self_test
from tests.hostile.judge import content_of, faults, place_faults
from tests.hostile.poison import ROUNDS, Texts
from tests.hostile.poisoned_site import build
from tests.hostile.site_paths import paths

pytestmark = pytest.mark.django_db
SAMPLE = 5
NUMBERS = [
    pytest.param(number, marks=[pytest.mark.slow, pytest.mark.sample if number == SAMPLE else pytest.mark.long])
    for number in range(ROUNDS)
]
KEPT = {"csrfmiddlewaretoken", "first", "second", "of"}  # fields that say which row the form is about
LEAVING = {"logout"}
TYPED = {"text", "textarea", "search", "email", "url", "password", "number", "date", "time", "tel", "input"}


@dataclass(frozen=True)
class Form:
    """A form on a page, with the present values of its fields."""

    action: str
    method: str
    fields: tuple[tuple[str, str, str], ...]  # name, type, value


@pytest.fixture
def administrator(db, settings, tmp_path, monkeypatch) -> User:
    settings.DATA_DIR = tmp_path
    settings.SEARCH_RATE = 0
    monkeypatch.setattr(self_test, "enqueue", lambda made: None)
    ensure_roles()
    return User.objects.create(username="admin", is_staff=True, is_superuser=True)


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_typed_comes_back_as_text_or_not_at_all(administrator, number, record_property):
    texts = Texts(number)
    site = build(texts, administrator)
    client = Client(raise_request_exception=False, headers={"accept-language": "en"})
    client.force_login(administrator)
    wrong: list[str] = []
    forms = {form.action + form.method + str([field[:2] for field in form.fields]): form
             for _name, path in once_each(paths(site)) for form in forms_of(client.get(path), path)}  # fmt: skip
    for form in forms.values():
        for filled in (fill(texts, form, only_text=True), fill(texts, form, only_text=False)):
            answer, body = sent(client, form, filled)
            broke = answer.status_code == 500
            found = (
                [f"broke: {answer.exc_info[1]!r:.300}"]
                if broke
                else [
                    *faults(answer, body),
                    *(fault for place, _status in answer.redirect_chain for fault in place_faults(place)),
                ]
            )
            wrong += [f"{form.method} {form.action}: {fault} {texts.sources_of(fault)}" for fault in found]
    record_property("figure", f"{len(forms)} forms")
    assert not wrong, "\n".join(dict.fromkeys(wrong))
    assert len(forms) > 50


def once_each(some: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield at most two pages of a route, as all of them have the same forms; but all steps of the joining wizard."""
    seen: dict[str, int] = {}
    for name, path in some:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] <= (30 if name == "join_step" else 2) and name in TABLE:
            yield name, path


def forms_of(answer, path: str) -> Iterator[Form]:
    if not answer.get("Content-Type", "").startswith("text/html") or answer.streaming or not answer.content:
        return
    for form in lxml.html.document_fromstring(answer.content).forms:
        action = urljoin(path, form.get("action") or path)
        if action.strip("/") in LEAVING or not action.startswith("/"):
            continue
        fields = [
            (control.name, control.get("type", control.tag), value_of(control))
            for control in form.inputs
            if control.name
        ]
        buttons = [
            (button.get("name"), "button", button.get("value", ""))
            for button in form.iter("button")
            if button.get("name")
        ]
        yield Form(action, form.get("method", "get").lower(), tuple(fields + buttons[:1]))


def value_of(field) -> str:
    if field.tag == "select":
        return next(iter(field.value_options), "")
    return str(field.get("value") or "") if field.tag == "input" else str(field.value or "")


def fill(texts: Texts, form: Form, *, only_text: bool) -> dict[str, str]:
    """Return the values to send: hostile texts, except in KEPT. only_text: only where text can be typed."""
    path = urlsplit(form.action).path
    return {
        name: value if name in KEPT or (only_text and kind not in TYPED) else texts(f"{path}.{name}")
        for name, kind, value in form.fields
        if kind != "file"
    }  # fmt: skip


def sent(client: Client, form: Form, filled: dict[str, str]):
    with transaction.atomic():
        ask = client.post if form.method == "post" else client.get
        answer = ask(form.action, filled, follow=True)
        body = content_of(answer)
        transaction.set_rollback(True)
    return answer, body


@pytest.mark.slow
@pytest.mark.sample
def test_a_text_that_cannot_be_stored_is_refused_by_every_form(administrator):
    """PostgreSQL has no NUL character in its texts: unchecked, each of these forms would be an error 500 there."""
    site = build(Texts(SAMPLE), administrator)
    client = Client(raise_request_exception=False, headers={"accept-language": "en"})
    client.force_login(administrator)
    taken, asked = [], 0
    for path in dict.fromkeys(path for _name, path in once_each(paths(site))):
        for form in forms_of(client.get(path), path):
            texts = [name for name, kind, _value in form.fields if kind in TYPED and name not in KEPT]
            filled = {name: "a\0b" if name in texts else value for name, kind, value in form.fields if kind != "file"}
            if texts and form.method == "post":
                asked += 1
                answer, _body = sent(client, form, filled)
                taken += [form.action] * (answer.status_code not in {400, 403})
    assert not taken
    assert asked > 30
