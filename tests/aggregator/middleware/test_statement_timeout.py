"""A page that reads does not hold the database for ever; work that changes something may."""

import pytest
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse, StreamingHttpResponse

from aggregator.middleware.statement_timeout import StatementTimeout, StatementTimeoutMiddleware

ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0",
    "postgresql": "SELECT pg_sleep(600)",
}


@pytest.fixture
def session(transactional_db):
    """PostgreSQL's keeps its limit for the next reader, which the end of a test is not."""
    yield
    connection.close()


def standing():
    """PostgreSQL's limit of our session."""
    return connection.connection.execute("SHOW statement_timeout").fetchone()[0]


def endless(_request):
    with connection.cursor() as cursor:
        cursor.execute(ENDLESS[connection.vendor])
    return HttpResponse("never")


def quick(_request):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return HttpResponse(str(cursor.fetchone()[0]))


@pytest.mark.usefixtures("session")
def test_an_endless_statement_is_ended_and_said_to_be_busy(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    middleware = StatementTimeoutMiddleware(endless)
    with pytest.raises(OperationalError) as ended:
        middleware(rf.get("/"))
    answer = middleware.process_exception(rf.get("/"), ended.value)
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")


@pytest.mark.usefixtures("session")
def test_the_next_request_starts_anew(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    with pytest.raises(OperationalError):
        StatementTimeoutMiddleware(endless)(rf.get("/"))
    assert StatementTimeoutMiddleware(quick)(rf.post("/")).content == b"1"
    assert StatementTimeoutMiddleware(quick)(rf.get("/")).content == b"1"


@pytest.mark.usefixtures("session")
def test_a_change_has_no_limit(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n"

    def long_work(_request):
        with connection.cursor() as cursor:
            cursor.execute(counted if connection.vendor == "sqlite" else "SELECT pg_sleep(0.5)")
        return HttpResponse("done")

    assert StatementTimeoutMiddleware(long_work)(rf.post("/")).content == b"done"


def test_another_failure_of_the_database_is_not_called_busy(rf):
    assert StatementTimeoutMiddleware(quick).process_exception(rf.get("/"), OperationalError("no such table")) is None


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no limit of a session")
class TestSession:
    """The limit of PostgreSQL's session: sent only where another stands there."""

    @pytest.fixture(autouse=True)
    def second(self, settings, session):
        settings.DATABASE_SECONDS = 1

    def test_it_stands_for_the_next_reader_and_not_for_who_changes_something(self, rf, monkeypatch):
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        assert standing() == "1s"
        with monkeypatch.context() as nothing_sent:
            nothing_sent.setattr(StatementTimeout, "_set", None)
            StatementTimeoutMiddleware(quick)(rf.get("/"))
        StatementTimeoutMiddleware(quick)(rf.post("/"))
        assert standing() == "0"

    def test_what_is_sent_while_it_is_made_has_none(self, rf):
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        StatementTimeoutMiddleware(lambda _request: StreamingHttpResponse([b""]))(rf.get("/"))
        assert standing() == "0"

    def test_a_transaction_cannot_take_it_back_unseen(self, rf):
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            StatementTimeoutMiddleware(quick)(rf.get("/"))
            raise ZeroDivisionError
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        assert standing() == "1s"
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            StatementTimeoutMiddleware(quick)(rf.post("/"))
            raise ZeroDivisionError
        StatementTimeoutMiddleware(quick)(rf.post("/"))
        assert standing() == "0"

    def test_a_new_session_has_none(self, rf):
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        connection.close()
        connection.ensure_connection()
        assert standing() == "0"
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        assert standing() == "1s"

    def test_a_lost_session_is_a_failure_of_the_database(self, rf):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            own = cursor.fetchone()[0]
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [own])
        other.close()
        with pytest.raises(OperationalError):
            StatementTimeoutMiddleware(quick)(rf.get("/"))
