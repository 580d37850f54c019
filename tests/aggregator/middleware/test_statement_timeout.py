"""The time limit on database statements: for pages that only read, not for requests that change something."""

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
    """Closes the connection after the test: a PostgreSQL session keeps its limit, which other tests must not meet."""
    yield
    connection.close()


def current_timeout():
    """Return PostgreSQL's statement_timeout of the session."""
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
def test_an_endless_statement_is_ended_and_answered_with_503(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    middleware = StatementTimeoutMiddleware(endless)
    with pytest.raises(OperationalError) as error:
        middleware(rf.get("/"))
    answer = middleware.process_exception(rf.get("/"), error.value)
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")


@pytest.mark.usefixtures("session")
def test_the_next_request_is_not_affected(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    with pytest.raises(OperationalError):
        StatementTimeoutMiddleware(endless)(rf.get("/"))
    assert StatementTimeoutMiddleware(quick)(rf.post("/")).content == b"1"
    assert StatementTimeoutMiddleware(quick)(rf.get("/")).content == b"1"


@pytest.mark.usefixtures("session")
def test_a_post_request_has_no_limit(rf, settings):
    settings.DATABASE_SECONDS = 0.1
    counting = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n"
    )

    def long_work(_request):
        with connection.cursor() as cursor:
            cursor.execute(counting if connection.vendor == "sqlite" else "SELECT pg_sleep(0.5)")
        return HttpResponse("done")

    assert StatementTimeoutMiddleware(long_work)(rf.post("/")).content == b"done"


def test_other_database_errors_are_not_answered_with_503(rf):
    assert StatementTimeoutMiddleware(quick).process_exception(rf.get("/"), OperationalError("no such table")) is None


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no limit of a session")
class TestSession:
    """PostgreSQL's limit of the session: sent only if the session has another."""

    @pytest.fixture(autouse=True)
    def one_second(self, settings, session):
        settings.DATABASE_SECONDS = 1

    def test_the_limit_stays_for_the_next_reader_and_is_removed_for_a_change(self, rf, monkeypatch):
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        assert current_timeout() == "1s"
        with monkeypatch.context() as nothing_sent:
            nothing_sent.setattr(StatementTimeout, "_set", None)
            StatementTimeoutMiddleware(quick)(rf.get("/"))
        StatementTimeoutMiddleware(quick)(rf.post("/"))
        assert current_timeout() == "0"

    def test_a_streaming_response_removes_the_limit(self, rf):
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        StatementTimeoutMiddleware(lambda _request: StreamingHttpResponse([b""]))(rf.get("/"))
        assert current_timeout() == "0"

    def test_a_rollback_does_not_leave_a_wrong_limit(self, rf):
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            StatementTimeoutMiddleware(quick)(rf.get("/"))
            raise ZeroDivisionError
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        assert current_timeout() == "1s"
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            StatementTimeoutMiddleware(quick)(rf.post("/"))
            raise ZeroDivisionError
        StatementTimeoutMiddleware(quick)(rf.post("/"))
        assert current_timeout() == "0"

    def test_a_new_session_starts_without_a_limit(self, rf):
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        connection.close()
        connection.ensure_connection()
        assert current_timeout() == "0"
        StatementTimeoutMiddleware(quick)(rf.get("/"))
        assert current_timeout() == "1s"

    def test_a_lost_session_raises_a_database_error(self, rf):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            own = cursor.fetchone()[0]
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [own])
        other.close()
        with pytest.raises(OperationalError):
            StatementTimeoutMiddleware(quick)(rf.get("/"))
