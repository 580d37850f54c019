"""The table of jobs: every function exists, and workers of every layout listen to every queue."""

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils.module_loading import import_string

from aggregator.deployment.launch import BACKGROUND_PROCESSES
from aggregator.jobs import JOBS, AggregatorJob


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.kind)
def test_the_functions_of_a_job_exist_and_its_queue_too(job):
    for name in filter(None, (job.function, job.without_queue)):
        assert callable(import_string(name))
    assert job.queue in settings.RQ_QUEUES
    assert job.function in AggregatorJob.functions


def test_the_counts_of_the_dispatcher_have_different_names():
    assert len({job.kind for job in JOBS}) == len(JOBS)


def test_every_queue_has_a_worker():
    listening = {arguments[1] for arguments in BACKGROUND_PROCESSES.values() if arguments[0] == "worker"}
    assert listening == set(settings.RQ_QUEUES)


@pytest.mark.parametrize(
    ("chosen", "queues"),
    [
        ([], ["default", "aggregation"]),
        (["default"], ["default", "aggregation"]),
        (["aggregation"], ["aggregation"]),
        (["quick"], ["quick"]),
        (["aggregation", "default"], ["aggregation", "default"]),
    ],
)
@pytest.mark.django_db
def test_a_worker_of_harvests_aggregates_when_it_has_none(monkeypatch, chosen, queues):
    started = []
    monkeypatch.setattr(
        "aggregator.management.commands.worker.call_command", lambda _name, *names, **options: started.append(names)
    )
    monkeypatch.setattr("core.commands.AggregatorCommand.check_services", lambda *_arguments: None)
    call_command("worker", *chosen)
    assert started == [tuple(queues)]
