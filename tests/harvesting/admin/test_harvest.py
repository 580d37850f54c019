"""Harvests in the admin: messages, actions, decisions, restoring records; all limited to own repositories."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from harvesting.completion import deletion_decisions
from harvesting.harvest.run import harvest
from harvesting.models import BrokenPage, DateWindow, Feed, Harvest, HeldDeletion, Repository, SourceRecord
from harvesting.records.compression import pack_payload
from harvesting.registry.registration import register
from tests.harvesting.admin.test_registration import librarian  # noqa: F401

pytestmark = pytest.mark.django_db
ENGLISH = {"accept-language": "en"}


@pytest.fixture
def feed():
    feed = Feed(base_url="https://a.example.jp/oai")
    register(Repository(name="館", state="live"), [feed])
    return feed


def record(feed: Feed, number: int, **values: object) -> SourceRecord:
    fixed = {"identifier": f"oai:a:{number}", "public_id": f"{feed.repository.number}-I{number}"}
    fixed |= {"payload": pack_payload(b"<x/>"), "payload_hash": b"x", "changed_at": timezone.now()}
    return SourceRecord.objects.create(repository=feed.repository, feed=feed, **{**fixed, **values})


@pytest.fixture
def waiting(feed):
    """A run with three held deletions, which waits for a decision."""
    run = Harvest.objects.create(
        feed=feed,
        kind="full",
        state="paused",
        phase="sweep",
        code="safety.deletions",
        facts={"count": 3, "live": 4, "sample": "oai:a:1"},
        started_at=timezone.now(),
        live_before=4,
        held=3,
    )
    for number in range(3):
        HeldDeletion.objects.create(harvest=run, record=record(feed, number), deletion="absent")
    return run


def page_of(run: Harvest) -> str:
    return reverse("admin:harvesting_harvest_change", args=[run.pk])


def decision_url(run: Harvest) -> str:
    return reverse("admin:harvesting_harvest_decision", args=[run.pk])


def run_action(client, run: Harvest, action: str):
    url = reverse("admin:harvesting_harvest_changelist")
    return client.post(url, {"action": action, "_selected_action": [run.pk]}, follow=True)


def test_the_page_of_a_waiting_run_links_to_its_decision(admin_client, waiting):
    assert decision_url(waiting) in admin_client.get(page_of(waiting)).content.decode()
    page = admin_client.get(decision_url(waiting)).content.decode()
    assert "oai:a:2" in page
    assert waiting.feed.repository.number in page


def test_confirming_deletes_and_records_who_confirmed(admin_client, waiting):
    answer = admin_client.post(decision_url(waiting), {"answer": "confirm"}, follow=True)
    assert SourceRecord.objects.filter(deleted=True).count() == 3
    waiting.refresh_from_db()
    assert (waiting.state, waiting.facts["user"]) == ("succeeded", "admin")
    assert "admin" in str(next(iter(answer.context["messages"])))
    assert LogEntry.objects.get().object_id == str(waiting.pk)


def test_refusing_keeps_all_records(admin_client, waiting):
    admin_client.post(decision_url(waiting), {"answer": "refuse"})
    assert not SourceRecord.objects.filter(deleted=True).exists()
    assert not HeldDeletion.objects.exists()


@pytest.mark.parametrize("sent", [{}, {"answer": ""}, {"answer": "yes"}])
def test_a_post_without_a_valid_answer_changes_nothing(admin_client, waiting, sent):
    assert admin_client.post(decision_url(waiting), sent).status_code == 200
    assert HeldDeletion.objects.count() == 3


def test_get_requests_decide_nothing(admin_client, waiting):
    admin_client.get(decision_url(waiting), {"answer": "confirm"})
    assert HeldDeletion.objects.count() == 3


def test_a_decision_needs_a_csrf_token(admin_user, waiting, client):
    client.handler.enforce_csrf_checks = True
    client.force_login(admin_user)
    assert client.post(decision_url(waiting), {"answer": "confirm"}).status_code == 403
    assert HeldDeletion.objects.count() == 3


def test_a_second_answer_changes_nothing(admin_client, waiting):
    for answer in ("refuse", "confirm"):
        admin_client.post(decision_url(waiting), {"answer": answer})
    assert not SourceRecord.objects.filter(deleted=True).exists()


def test_a_suspicious_list_offers_to_refuse_it_first(admin_client, feed):
    run = Harvest.objects.create(
        feed=feed, kind="full", state="paused", phase="sweep", code="safety.zero", facts={"live": 9}
    )
    names = [choice.name for choice in admin_client.get(decision_url(run)).context["choices"]]
    assert names == ["refuse", "confirm"]
    admin_client.post(decision_url(run), {"answer": "refuse"})
    run.refresh_from_db()
    assert run.state == "cancelled"


def test_a_librarian_decides_only_about_own_repositories(client, librarian, waiting):  # noqa: F811
    client.force_login(librarian)
    for answer in (client.get(decision_url(waiting)), client.post(decision_url(waiting), {"answer": "confirm"})):
        assert answer.status_code == 404
    assert HeldDeletion.objects.count() == 3
    waiting.feed.repository.managers.add(librarian)
    client.post(decision_url(waiting), {"answer": "confirm"})
    assert SourceRecord.objects.filter(deleted=True).count() == 3


def test_anonymous_visitors_are_sent_to_the_login(client, waiting):
    assert client.get(decision_url(waiting)).url.startswith("/login?")


def test_a_run_is_paused_resumed_and_cancelled(admin_client, feed):
    run = Harvest.objects.create(feed=feed, kind="full")
    for action, state in [("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")]:
        run_action(admin_client, run, action)
        run.refresh_from_db()
        assert run.state == state
    assert LogEntry.objects.count() == 3


def test_actions_on_a_finished_run_only_warn(admin_client, feed):
    run = Harvest.objects.create(feed=feed, kind="full", state="succeeded")
    for action in ("pause", "resume", "cancel"):
        answer = run_action(admin_client, run, action)
        assert [message.level_tag for message in answer.context["messages"]] == ["warning"]
    run.refresh_from_db()
    assert run.state == "succeeded"


def offered_actions(client, run: Harvest) -> list[str]:
    """The actions on the page of the run."""
    form = client.get(page_of(run)).context["action_form"]
    return [name for name, _label in form.fields["action"].choices if name] if form else []


@pytest.mark.parametrize(
    ("state", "code", "actions"),
    [
        ("queued", "", ["pause", "cancel"]),
        ("running", "", ["pause", "cancel"]),
        ("paused", "run.paused", ["resume", "cancel"]),
        ("paused", "safety.zero", []),
        ("succeeded", "", []),
        ("failed", "http.404", []),
        ("cancelled", "", []),
    ],
)
def test_the_page_of_a_run_offers_only_what_its_state_allows(admin_client, feed, state, code, actions):
    run = Harvest.objects.create(feed=feed, kind="full", state=state, code=code, phase="sweep")
    assert offered_actions(admin_client, run) == actions


def test_the_list_says_that_a_run_waits_for_a_decision(admin_client, waiting):
    page = admin_client.get(reverse("admin:harvesting_harvest_changelist"), headers=ENGLISH).content.decode()
    assert "waiting for a decision" in page


def test_many_confirmed_deletions_are_carried_out_in_the_background(admin_client, waiting, monkeypatch):
    monkeypatch.setattr(deletion_decisions, "MAX_AT_ONCE", 2)
    answer = admin_client.post(decision_url(waiting), {"answer": "confirm"}, follow=True, headers=ENGLISH)
    assert "in the background" in str(next(iter(answer.context["messages"])))
    assert not SourceRecord.objects.filter(deleted=True).exists()
    harvest(waiting)
    assert SourceRecord.objects.filter(deleted=True).count() == 3


def test_a_run_that_waits_for_a_decision_cannot_be_resumed(admin_client, waiting):
    run_action(admin_client, waiting, "resume")
    waiting.refresh_from_db()
    assert waiting.state == "paused"


def test_a_librarian_cannot_act_on_runs_of_other_repositories(client, librarian, feed):  # noqa: F811
    run = Harvest.objects.create(feed=feed, kind="full")
    client.force_login(librarian)
    run_action(client, run, "cancel")
    run.refresh_from_db()
    assert run.state == "queued"


def test_observations_are_shown_as_sentences_and_gaps_are_listed(admin_client, feed):
    run = Harvest.objects.create(
        feed=feed,
        kind="full",
        state="failed",
        code="run.gaps",
        observations={"run.clock_skew": {"count": 3, "facts": {"minutes": 14}, "incomplete": False}},
    )
    DateWindow.objects.create(feed=feed, harvest=run, state="gap", from_date="2026-01-01", code="http.500")
    for page in (page_of(run), reverse("admin:harvesting_feed_change", args=[feed.pk])):
        assert "2026-01-01" in admin_client.get(page).content.decode()
    text = admin_client.get(page_of(run)).content.decode()
    assert "14" in text
    assert "run.clock_skew" not in text


def test_a_broken_page_is_downloaded_and_never_displayed(client, admin_client, librarian, feed):  # noqa: F811
    run = Harvest.objects.create(feed=feed, kind="full", state="failed")
    body = b"<script>alert(1)</script>"
    page = BrokenPage.objects.create(harvest=run, url="https://a.example.jp/", code="xml.malformed", body=body)
    page.body = pack_payload(body)
    page.save()
    address = reverse("admin:harvesting_harvest_broken_page", args=[run.pk, page.pk])
    answer = admin_client.get(address)
    assert (answer.content, answer["Content-Type"]) == (body, "application/octet-stream")
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert address in admin_client.get(page_of(run)).content.decode()
    client.force_login(librarian)
    assert client.get(address).status_code == 404


def test_records_deleted_within_90_days_are_restored(admin_client, feed):
    recent = record(feed, 1, deleted=True, deleted_at=timezone.now(), deletion="absent")
    old = record(feed, 2, deleted=True, deleted_at=timezone.now() - timezone.timedelta(days=91))
    url = reverse("admin:harvesting_sourcerecord_changelist")
    admin_client.post(url, {"action": "restore", "_selected_action": [recent.pk, old.pk]})
    recent.refresh_from_db()
    old.refresh_from_db()
    assert (recent.deleted, old.deleted) == (False, True)


def test_a_librarian_restores_only_records_of_own_repositories(client, librarian, feed):  # noqa: F811
    deleted = record(feed, 1, deleted=True, deleted_at=timezone.now(), deletion="absent")
    client.force_login(librarian)
    action = {"action": "restore", "_selected_action": [deleted.pk]}
    for state in (True, False):
        client.post(reverse("admin:harvesting_sourcerecord_changelist"), action)
        deleted.refresh_from_db()
        assert deleted.deleted is state
        feed.repository.managers.add(librarian)


def test_the_list_of_repositories_leads_to_what_needs_attention(admin_client, waiting):
    page = admin_client.get(reverse("admin:harvesting_repository_changelist")).content.decode()
    assert f'href="{reverse("manage")}"' in page
    assert f'href="{reverse("harvest", args=[waiting.pk])}"' in admin_client.get(reverse("manage")).content.decode()
