"""Work for one process at a time, and the limits of time that PostgreSQL keeps."""

import subprocess
import sys
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import translation

from aggregator.grouping.aggregate import aggregate_batch
from aggregator.indexing.build import index_pending
from aggregator.models import Manifestation, Member
from core.database.locks import Work, turn, turn_waited_for
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time anyway")


@contextmanager
def beside(work):
    """Another connection that does this until the block is over; yields when it has begun."""
    begun, over = Event(), Event()

    def carry_out():
        try:
            with transaction.atomic(), work():
                begun.set()
                over.wait(30)
        finally:
            begun.set()
            connection.close()

    thread = Thread(target=carry_out)
    thread.start()
    assert begun.wait(30)
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_what_one_is_at_the_others_leave():
    with beside(lambda: turn(Work.INDEX)):
        with turn(Work.INDEX) as ours:
            assert not ours
        with turn(Work.RESOURCES) as ours:
            assert ours
    with turn(Work.INDEX) as ours:
        assert ours


@pytest.mark.django_db(transaction=True)
def test_only_one_writes_the_index():
    Shelf().put("a", "1", record("1", title="こころ", creator="夏目漱石", issued="1914"))
    aggregate_batch(10)
    with beside(lambda: turn(Work.INDEX)):
        assert list(index_pending()) == []
    assert Manifestation.objects.to_index().count() == 1
    assert list(index_pending()) == [1]


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_who_match_claim_different_records():
    shelf = Shelf()
    for number in range(4):
        shelf.put("a", f"{number}", record(f"{number}", title="こころ", creator="夏目漱石", issued="1914"))

    @contextmanager
    def first_claimed():
        list(SourceRecord.objects.pending().select_for_update(no_key=True, skip_locked=True)[:3])
        yield

    with beside(first_claimed):
        assert aggregate_batch(10).records == 1
        assert aggregate_batch(10) is None
    assert aggregate_batch(10).records == 3
    assert Member.objects.values("manifestation").distinct().count() == 1


def limited(**seconds):
    """The settings as a new process has them, as PostgreSQL says."""
    names = ("lock_timeout", "idle_in_transaction_session_timeout")
    ask = "; ".join(f"cursor.execute('SHOW {name}'); print(cursor.fetchone()[0])" for name in names)
    code = f"import django; django.setup(); from django.db import connection; cursor = connection.cursor(); {ask}"
    environment = {"DJANGO_SETTINGS_MODULE": "aggregator.settings", "AGGREGATOR_DATA": str(settings.DATA_DIR)}
    environment |= {"DATABASE_URL": url()} | seconds
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def url():
    at = connection.settings_dict
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"


@on_postgresql
@pytest.mark.django_db
def test_every_connection_has_limits_and_settings_move_them():
    assert limited() == ["10s", "1min"]
    assert limited(DATABASE_LOCK_SECONDS="0.5", DATABASE_IDLE_SECONDS="0") == ["500ms", "0"]


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_who_waits_too_long_for_a_row_is_told():
    shelf = Shelf()
    stored = shelf.put("a", "1", record("1", title="こころ", creator="夏目漱石", issued="1914"))

    @contextmanager
    def held():
        SourceRecord.objects.filter(pk=stored.pk).update(last_harvest=1)
        yield

    with beside(held), pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = 100")
        SourceRecord.objects.filter(pk=stored.pk).update(last_harvest=2)


@pytest.mark.parametrize(("language", "said"), [("ja", "ほかのプロセス"), ("en", "another process")])
def test_who_waited_in_vain_is_told_why_in_both_languages(language, said, monkeypatch):
    @contextmanager
    def taken(_work):
        yield False

    monkeypatch.setattr("core.database.locks.turn", taken)
    refused = pytest.raises(OperationalError, match=said)
    with translation.override(language), refused, turn_waited_for(Work.AGGREGATE, 0):
        pytest.fail("it was not ours")
