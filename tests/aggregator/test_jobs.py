"""The table of jobs: every function exists, and workers of every layout listen to every queue."""

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils.module_loading import import_string

from aggregator.deployment.launch import BACKGROUND_PROCESSES
from aggregator.jobs import JOBS, AggregatorJob
from aggregator.management.commands.worker import NICENESS


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
    ("chosen", "queues", "gives_way"),
    [
        ([], ["default", "aggregation"], True),
        (["default"], ["default", "aggregation"], True),
        (["aggregation"], ["aggregation"], True),
        (["quick"], ["quick"], False),
        (["aggregation", "default"], ["aggregation", "default"], True),
    ],
)
@pytest.mark.django_db
def test_a_worker_of_harvests_aggregates_when_it_has_none_and_gives_way_to_readers(
    monkeypatch, chosen, queues, gives_way
):
    started, niceness = [], []
    monkeypatch.setattr("os.nice", niceness.append)
    monkeypatch.setattr(
        "aggregator.management.commands.worker.call_command", lambda _name, *names, **options: started.append(names)
    )
    monkeypatch.setattr("core.commands.AggregatorCommand.check_services", lambda *_arguments: None)
    call_command("worker", *chosen)
    assert started == [tuple(queues)]
    assert niceness == [NICENESS] * gives_way
