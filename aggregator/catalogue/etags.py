"""A short tag of everything that a book's page is made from; any change to that gives another tag. Read-only.

It covers the merged record, the records it was merged from, the names and links of their providers, the issues that are
counted and the other books of the work. It does not cover the neighbours in a series, which only the search index
contains.
"""

from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple
from weakref import WeakSet

from django.db import connection

from aggregator.catalogue.books import TO_CORRECT
from aggregator.models import Manifestation, Member
from harvesting.models import RecordIssue, Repository, SourceRecord

# One row for each source record of the book. Deleted records are left to `find_book`, which follows successors.
_STATEMENT = """
    SELECT asked.id, book.id, book.changed_at, book.work,
        (SELECT COUNT(*) FROM {Manifestation} other WHERE other.work = book.work),
        (SELECT MAX(other.changed_at) FROM {Manifestation} other WHERE other.work = book.work),
        source.public_id, source.changed_at, source.suppressed_at, source.deleted,
        owner.name, owner.name_en, owner.home_page, owner.link_template, owner.link_encoding, owner.licence,
        owner.give_on,
        (SELECT COUNT(*) FROM {RecordIssue} issue
            WHERE issue.source_record_id = source.id AND issue.severity IN ({severities}))
    FROM {SourceRecord} asked
    JOIN {Member} place ON place.source_record_id = asked.id
    JOIN {Manifestation} book ON book.id = place.manifestation_id
    JOIN {Member} beside ON beside.manifestation_id = book.id
    JOIN {SourceRecord} source ON source.id = beside.source_record_id
    JOIN {Repository} owner ON owner.id = source.repository_id
    WHERE asked.public_id = {asked_id} AND asked.suppressed_at IS NULL AND NOT asked.deleted
    ORDER BY source.id
"""
# Prepared once for each session of PostgreSQL: planning takes eight times as long as execution.
_NAME = "book_tag"
_PREPARED: WeakSet[Any] = WeakSet()
_MODELS = (Manifestation, Member, RecordIssue, Repository, SourceRecord)


class PageTag(NamedTuple):
    """number: of the record that was requested."""

    number: int
    tag: bytes


def page_tag(public_id: str) -> PageTag | None:
    """Return the tag of the page under this id; None if the record is unknown, deleted, withheld or unmatched. One
    query.
    """
    with connection.cursor() as cursor:
        cursor.execute(_prepared() if connection.vendor == "postgresql" else _statement("%s"), [public_id])
        rows = cursor.fetchall()
    return PageTag(rows[0][0], blake2b(repr(rows).encode(), digest_size=12).digest()) if rows else None


def _prepared() -> str:
    """Return the call of the prepared statement; prepares it first in a new session of PostgreSQL."""
    session = connection.connection
    if session not in _PREPARED:
        with connection.wrap_database_errors:
            session.execute(f"PREPARE {_NAME} (text) AS {_statement('$1')}")
        _PREPARED.add(session)
    return f"EXECUTE {_NAME} (%s)"


@cache
def _statement(parameter: str) -> str:
    """Return the SQL query of `page_tag` with the table names filled in. parameter: the placeholder for the id."""
    tables = {model.__name__: connection.ops.quote_name(model._meta.db_table) for model in _MODELS}
    severities = ", ".join(f"'{severity}'" for severity in TO_CORRECT)
    return _STATEMENT.format(asked_id=parameter, severities=severities, **tables)
