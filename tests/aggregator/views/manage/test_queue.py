"""The page of the queue: with a queue server, without one, and what its buttons do. No test needs a server."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as NoServer

from core.work import queues
from core.work.queues import JobLine, QueueState, WorkerLine
from harvesting.harvest.run import create_harvest
from harvesting.models import AuditEntry
from tests.aggregator.views.records_with_issues import person, provider

pytestmark = pytest.mark.django_db
PAGE = "/manage/queue/"


def client_of(user) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


@pytest.fixture
def staff() -> Client:
    return client_of(person("jiro", staff=True))


@pytest.fixture
def administrator(admin_user) -> Client:
    return client_of(admin_user)


@pytest.fixture
def server(monkeypatch) -> list[tuple[str, str, str]]:
    """A queue server that answers; returns the calls of its buttons."""
    now, calls = timezone.now(), []
    failed = JobLine("f-1", "default", "harvesting.tasks.run_harvest", (7,), now - timedelta(minutes=5),
                     "ValueError: <b>the sentence</b>", "Traceback\nValueError: <b>the sentence</b>")  # fmt: skip
    waits = JobLine("w-1", "aggregation", "aggregator.tasks.aggregate", (), now - timedelta(seconds=40))
    lines = {
        "queue_states": lambda: [
            QueueState("default", 0, 0, 1, 1, queues.NEVER),
            QueueState("aggregation", 1, 0, 0, 0, waits.moment),
        ],
        "running_jobs": lambda _most: [],
        "waiting_jobs": lambda _most: [waits],
        "failed_jobs": lambda _most: [failed],
        "workers": lambda _most: [WorkerLine("w", "machine (12)", ("default",), "", now)],
        "retry": lambda name, number: calls.append(("retry", name, number)) or 1,
        "remove": lambda name, number: calls.append(("remove", name, number)) or (number != "gone"),
    }
    for name, function in lines.items():
        monkeypatch.setattr(queues, name, function)
    return calls


def test_without_a_queue_server_the_page_says_so_and_how_far_the_work_is_behind(staff, monkeypatch):
    def no_answer():
        raise NoServer("unreachable")

    monkeypatch.setattr(queues, "queue_states", no_answer)
    run = create_harvest(provider())
    run.queued_at = timezone.now() - timedelta(minutes=20)
    run.save(update_fields=["queued_at"])
    page = staff.get(PAGE).text
    assert "The queue server does not answer (ConnectionError)" in page
    assert "Harvests that wait for a worker" in page and "20 minutes" in page


def test_the_page_shows_jobs_workers_and_the_sentence_of_the_error(staff, server):
    page = staff.get(PAGE).text
    assert "ValueError: &lt;b&gt;the sentence" in page
    assert 'href="/manage/harvests/7/">Harvest #7' in page
    assert "Matching and merging" in page and "for 40 seconds" in page
    assert "machine (12)" in page and "no worker" in page
    assert "Queue again" not in page  # only administrators may act


def test_an_administrator_queues_a_failed_job_again_or_removes_it(administrator, server):
    assert 'value="f-1"' in administrator.get(PAGE).text
    for action in ("retry", "remove"):
        answer = administrator.post(f"{PAGE}act", {"do": action, "queue": "default", "job": "f-1"}, follow=True)
        assert "1 job was" in answer.text
    administrator.post(f"{PAGE}act", {"do": "retry", "queue": "default"})
    assert server == [("retry", "default", "f-1"), ("remove", "default", "f-1"), ("retry", "default", "")]
    assert AuditEntry.objects.filter(action__startswith="queue.").count() == 3
    gone = administrator.post(f"{PAGE}act", {"do": "remove", "queue": "default", "job": "gone"}, follow=True)
    assert "no longer in the list" in gone.text


@pytest.mark.parametrize("data", [{"do": "retry", "queue": "other"}, {"do": "burn", "queue": "default"}])
def test_a_queue_or_action_that_does_not_exist_is_not_found(administrator, data):
    assert administrator.post(f"{PAGE}act", data).status_code == 404


def test_buttons_without_a_queue_server_change_nothing(administrator, monkeypatch):
    def no_answer(_name, _number):
        raise NoServer("unreachable")

    monkeypatch.setattr(queues, "retry", no_answer)
    answer = administrator.post(f"{PAGE}act", {"do": "retry", "queue": "default"}, follow=True)
    assert "Nothing was changed" in answer.text
    assert not AuditEntry.objects.filter(action="queue.retried").exists()


def test_the_old_address_leads_to_the_page(administrator):
    for address in ("/admin/rq/", "/admin/rq/queues/0/"):
        assert administrator.get(address)["Location"] == PAGE
