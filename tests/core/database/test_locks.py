"""Locks for work that one process does at a time, and the timeouts of PostgreSQL connections."""

import subprocess
import sys
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import translation

from aggregator.grouping.aggregate import aggregate_batch
from aggregator.indexing.build import index_pending
from aggregator.models import Manifestation, Member
from aggregator.tasks import aggregate
from core.database.locks import Work, try_lock, wait_for_lock
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record
from tests.connections import another_connection

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time anyway")


@pytest.mark.django_db(transaction=True)
def test_a_lock_that_is_taken_is_not_taken_again():
    with another_connection(lambda: try_lock(Work.INDEX)):
        with try_lock(Work.INDEX) as acquired:
            assert not acquired
        with try_lock(Work.RESOURCES) as acquired:
            assert acquired
    with try_lock(Work.INDEX) as acquired:
        assert acquired


@pytest.mark.django_db(transaction=True)
def test_one_worker_aggregates_at_a_time():
    Shelf().put("a", "one", record("1"))
    with another_connection(lambda: try_lock(Work.AGGREGATION)):
        assert aggregate() == 0
        assert SourceRecord.objects.pending().exists()
    assert aggregate() == 1


@pytest.mark.django_db(transaction=True)
def test_only_one_process_writes_the_index():
    Shelf().put("a", "1", record("1", title="こころ", creator="夏目漱石", issued="1914"))
    match_and_merge()
    with another_connection(lambda: try_lock(Work.INDEX)):
        assert list(index_pending()) == []
    assert Manifestation.objects.to_index().count() == 1
    assert list(index_pending()) == [1]


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_matching_processes_claim_different_records():
    shelf = Shelf()
    for number in range(4):
        shelf.put("a", f"{number}", record(f"{number}", title="こころ", creator="夏目漱石", issued="1914"))

    @contextmanager
    def first_claimed():
        with transaction.atomic():
            list(SourceRecord.objects.pending().select_for_update(no_key=True, skip_locked=True)[:3])
            yield

    with another_connection(first_claimed):
        assert aggregate_batch(10).records == 1
        assert aggregate_batch(10) is None
    assert aggregate_batch(10).records == 3
    assert Member.objects.values("manifestation").distinct().count() == 1


def limits_of_a_new_process(**environment_seconds):
    """The timeouts of a connection of a new process, as PostgreSQL reports them."""
    names = ("lock_timeout", "idle_in_transaction_session_timeout")
    statements = "; ".join(f"cursor.execute('SHOW {name}'); print(cursor.fetchone()[0])" for name in names)
    code = (
        f"import django; django.setup(); from django.db import connection; cursor = connection.cursor(); {statements}"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "aggregator.settings", "AGGREGATOR_DATA": str(settings.DATA_DIR)}
    environment |= {"DATABASE_URL": url()} | environment_seconds
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def url():
    database = connection.settings_dict
    return "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database)


@on_postgresql
@pytest.mark.django_db
def test_every_connection_has_timeouts_and_settings_change_them():
    assert limits_of_a_new_process() == ["10s", "1min"]
    assert limits_of_a_new_process(DATABASE_LOCK_SECONDS="0.5", DATABASE_IDLE_SECONDS="0") == ["500ms", "0"]


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_waiting_too_long_for_a_row_raises_an_error():
    shelf = Shelf()
    stored = shelf.put("a", "1", record("1", title="こころ", creator="夏目漱石", issued="1914"))

    @contextmanager
    def row_locked():
        with transaction.atomic():
            SourceRecord.objects.filter(pk=stored.pk).update(last_harvest=1)
            yield

    with another_connection(row_locked), pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = 100")
        SourceRecord.objects.filter(pk=stored.pk).update(last_harvest=2)


@pytest.mark.parametrize(("language", "message"), [("ja", "ほかのプロセス"), ("en", "another process")])
def test_waiting_in_vain_for_a_lock_is_explained_in_both_languages(language, message, monkeypatch):
    @contextmanager
    def taken(_work):
        yield False

    monkeypatch.setattr("core.database.locks.try_lock", taken)
    refused = pytest.raises(OperationalError, match=message)
    with translation.override(language), refused, wait_for_lock(Work.AGGREGATE, 0):
        pytest.fail("the lock was not acquired")
