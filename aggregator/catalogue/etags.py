"""A short tag of everything that a book's page is made from; any change to that gives another tag. Read-only.

It covers the merged record, the records it was merged from, the names and links of their providers and of the
libraries, whether libraries can be asked for availability, the issues that are counted and the other books of the work.
It does not cover the neighbours in a series, which only the search index contains.
"""

import re
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple
from weakref import WeakSet

from django.db import connection

from aggregator.catalogue.books import TO_CORRECT
from aggregator.models import BOOK_ID, AvailabilityAdapter, Holding, Library, Manifestation, Member
from harvesting.models import RecordIssue, Repository, SourceRecord

# One row for each source record of the book, then one for each of its libraries. Deleted records and numbers out of
# use are left to `find_book`, which follows successors.
_STATEMENT = """
    SELECT 0 AS part, source.id AS nth, {number}, book.id, book.changed_at, book.work,
        (SELECT COUNT(*) FROM {Manifestation} other WHERE other.work = book.work),
        (SELECT MAX(other.changed_at) FROM {Manifestation} other WHERE other.work = book.work),
        source.public_id, source.changed_at, source.suppressed_at, source.deleted,
        owner.name, owner.name_en, owner.home_page, owner.link_template, owner.link_encoding, owner.licence,
        owner.give_on,
        (SELECT COUNT(*) FROM {RecordIssue} issue
            WHERE issue.source_record_id = source.id AND issue.severity IN ({severities}))
    FROM {asked}
    JOIN {Member} beside ON beside.manifestation_id = book.id
    JOIN {SourceRecord} source ON source.id = beside.source_record_id
    JOIN {Repository} owner ON owner.id = source.repository_id
    WHERE {condition}
    UNION ALL
    SELECT 1, library.id, {number}, book.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        library.name, library.name_en, library.page, library.link_template, NULL, adapter.kind, NULL, NULL
    FROM {asked}
    JOIN {Holding} holding ON holding.manifestation_id = book.id
    JOIN {Library} library ON library.id = holding.library_id
    LEFT JOIN {AvailabilityAdapter} adapter ON adapter.library_id = library.id
    WHERE {condition}
    ORDER BY part, nth
"""
_BY_RECORD = {
    "number": "asked.id",
    "asked": "{SourceRecord} asked JOIN {Member} place ON place.source_record_id = asked.id"
    " JOIN {Manifestation} book ON book.id = place.manifestation_id",
    "condition": "asked.public_id = {parameter} AND asked.suppressed_at IS NULL AND NOT asked.deleted",
}
_BY_NUMBER = {"number": "-book.id", "asked": "{Manifestation} book", "condition": "book.id = {parameter}"}
# Prepared once for each session of PostgreSQL: planning takes eight times as long as execution.
_NAMES = {"text": "book_tag", "bigint": "book_tag_by_number"}  # type of the parameter -> name
_PREPARED: WeakSet[Any] = WeakSet()
_MODELS = (AvailabilityAdapter, Holding, Library, Manifestation, Member, RecordIssue, Repository, SourceRecord)


class PageTag(NamedTuple):
    """number: of the record that was requested, or the negative number of the book."""

    number: int
    tag: bytes


def page_tag(public_id: str) -> PageTag | None:
    """Return the tag of the page under this id; None if the record is unknown, deleted, withheld or unmatched, or the
    book's number is not in use. One query.
    """
    asked, kind = (int(public_id[1:]), "bigint") if re.fullmatch(BOOK_ID, public_id) else (public_id, "text")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_prepared(kind), [asked])
        else:
            cursor.execute(_statement("%s", kind), [asked, asked])
        rows = cursor.fetchall()
    if not rows or rows[0][0]:  # no source record
        return None
    return PageTag(rows[0][2], blake2b(repr(rows).encode(), digest_size=12).digest())


def _prepared(kind: str) -> str:
    """Return the call of the prepared statement; prepares both first in a new session of PostgreSQL."""
    session = connection.connection
    if session not in _PREPARED:
        with connection.wrap_database_errors:
            for parameter, name in _NAMES.items():
                session.execute(f"PREPARE {name} ({parameter}) AS {_statement('$1', parameter)}")
        _PREPARED.add(session)
    return f"EXECUTE {_NAMES[kind]} (%s)"


@cache
def _statement(parameter: str, kind: str) -> str:
    """Return the SQL query of `page_tag` with the table names filled in. parameter: the placeholder for the id. kind:
    its type.
    """
    tables = {model.__name__: connection.ops.quote_name(model._meta.db_table) for model in _MODELS}
    severities = ", ".join(f"'{severity}'" for severity in TO_CORRECT)
    parts = _BY_RECORD if kind == "text" else _BY_NUMBER
    asked = {name: part.format(parameter=parameter, **tables) for name, part in parts.items()}
    return _STATEMENT.format(severities=severities, **asked, **tables)
