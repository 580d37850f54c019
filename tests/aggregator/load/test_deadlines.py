"""A page that reads does not hold the database for ever; work that changes something may."""

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse

from aggregator.load.deadlines import Deadlines

ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0",
    "postgresql": "SELECT pg_sleep(600)",
}


def endless(_request):
    with connection.cursor() as cursor:
        cursor.execute(ENDLESS[connection.vendor])
    return HttpResponse("never")


def quick(_request):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return HttpResponse(str(cursor.fetchone()[0]))


@pytest.mark.django_db(transaction=True)
def test_an_endless_statement_is_ended_and_said_to_be_busy(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    middleware = Deadlines(endless)
    with pytest.raises(OperationalError) as ended:
        middleware(rf.get("/"))
    answer = middleware.process_exception(rf.get("/"), ended.value)
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")


@pytest.mark.django_db(transaction=True)
def test_the_next_request_starts_anew(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    with pytest.raises(OperationalError):
        Deadlines(endless)(rf.get("/"))
    assert Deadlines(quick)(rf.post("/")).content == b"1"
    assert Deadlines(quick)(rf.get("/")).content == b"1"


@pytest.mark.django_db(transaction=True)
def test_a_change_has_no_limit(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n"

    def long_work(_request):
        with connection.cursor() as cursor:
            cursor.execute(counted if connection.vendor == "sqlite" else "SELECT pg_sleep(0.5)")
        return HttpResponse("done")

    assert Deadlines(long_work)(rf.post("/")).content == b"done"


def test_another_failure_of_the_database_is_not_called_busy(rf):
    assert Deadlines(quick).process_exception(rf.get("/"), OperationalError("no such table")) is None
