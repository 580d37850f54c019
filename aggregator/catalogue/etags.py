"""What the page of a book is made from, as one short tag: another one as soon as any of it is written. Reads only.

In it: the merged record, the records behind it, how their providers are called and link, the findings that are
counted, the other books of the work. Not in it: the neighbours in a series, which only the index knows.
"""

from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple
from weakref import WeakSet

from django.db import connection

from aggregator.catalogue.books import TOLD
from aggregator.models import Manifestation, Member
from harvesting.models import RecordIssue, Repository, SourceRecord

# One row for each record behind the book. A record that its provider deleted has its own ways (`catalogue.find_book`).
_STATEMENT = """
    SELECT asked.id, book.id, book.changed_at, book.work,
        (SELECT COUNT(*) FROM {Manifestation} other WHERE other.work = book.work),
        (SELECT MAX(other.changed_at) FROM {Manifestation} other WHERE other.work = book.work),
        source.public_id, source.changed_at, source.suppressed_at, source.deleted,
        owner.name, owner.name_en, owner.home_page, owner.link_template, owner.link_encoding, owner.licence,
        owner.give_on,
        (SELECT COUNT(*) FROM {RecordIssue} issue
            WHERE issue.source_record_id = source.id AND issue.severity IN ({told}))
    FROM {SourceRecord} asked
    JOIN {Member} place ON place.source_record_id = asked.id
    JOIN {Manifestation} book ON book.id = place.manifestation_id
    JOIN {Member} beside ON beside.manifestation_id = book.id
    JOIN {SourceRecord} source ON source.id = beside.source_record_id
    JOIN {Repository} owner ON owner.id = source.repository_id
    WHERE asked.public_id = {asked_id} AND asked.suppressed_at IS NULL AND NOT asked.deleted
    ORDER BY source.id
"""
# PostgreSQL plans it for eight times as long as it takes, so once for each session.
_NAME = "book_tag"
_PREPARED: WeakSet[Any] = WeakSet()
_MODELS = (Manifestation, Member, RecordIssue, Repository, SourceRecord)


class Tagged(NamedTuple):
    """number: of the record that was asked for."""

    number: int
    tag: bytes


def tagged(public_id: str) -> Tagged | None:
    """The tag of the page under this id; None of what is unknown, deleted, withheld or not yet matched. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_prepared() if connection.vendor == "postgresql" else _statement("%s"), [public_id])
        rows = cursor.fetchall()
    return Tagged(rows[0][0], blake2b(repr(rows).encode(), digest_size=12).digest()) if rows else None


def _prepared() -> str:
    """The statement by the name that it has in this session of PostgreSQL."""
    session = connection.connection
    if session not in _PREPARED:
        with connection.wrap_database_errors:
            session.execute(f"PREPARE {_NAME} (text) AS {_statement('$1')}")
        _PREPARED.add(session)
    return f"EXECUTE {_NAME} (%s)"


@cache
def _statement(asked: str) -> str:
    """asked: how the place of the public id is written."""
    tables = {each.__name__: connection.ops.quote_name(each._meta.db_table) for each in _MODELS}
    return _STATEMENT.format(asked_id=asked, told=", ".join(f"'{each}'" for each in TOLD), **tables)
