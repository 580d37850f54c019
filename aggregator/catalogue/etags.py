"""A short tag of everything that a book's page is made from; any change to that gives another tag. Read-only.

It covers the merged record, the records it was merged from, the names and links of their providers, what the libraries
on the page hold and whether they can be asked for availability (also through libraries that were merged into them), the
issues that are counted and the other books of the work. It does not cover the neighbours in a series, which only the
search index contains.

However many records and libraries a book has, few rows are read: one for each provider, and one for each library that
the page shows.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from weakref import WeakSet

from django.db import connection
from django.utils import timezone

from aggregator.catalogue.books import TO_CORRECT
from aggregator.catalogue.shelves import SHOWN
from aggregator.links.dead import dead_links
from aggregator.models import BOOK_ID, AvailabilityAdapter, Holding, Library, Manifestation, Member
from core.database.dialects import dialect
from harvesting.models import RecordIssue, Repository, SourceRecord

# Each row begins with the number of a part and its place in that part. Part 0: one row for each provider, with what
# changes whenever one of its records does; 1: the counts; 2: the libraries that the page shows; 3: the interfaces for
# availability of these libraries and of those merged into them (see `availability.questions`). Deleted records
# and numbers out of use are left to `find_book`, which follows successors.
_STATEMENT = """
    SELECT 0 AS part, owner.id AS nth, {number} AS number, book.changed_at, book.work, COUNT(*) AS counted,
        MIN(source.id), SUM(source.id), MAX(source.changed_at), COUNT(source.suppressed_at),
        SUM(CASE WHEN source.deleted THEN 1 ELSE 0 END) AS deleted, owner.name, owner.name_en, owner.home_page,
        owner.link_template, owner.link_encoding, owner.licence, owner.give_on, CAST(NULL AS {binary}) AS packed
    FROM {asked}
    JOIN {Member} beside ON beside.manifestation_id = book.id
    JOIN {SourceRecord} source ON source.id = beside.source_record_id
    JOIN {Repository} owner ON owner.id = source.repository_id
    WHERE {condition}
    GROUP BY owner.id, book.id, {number}
    UNION ALL
    SELECT 1, 0, {number}, (SELECT MAX(other.changed_at) FROM {Manifestation} other WHERE other.work = book.work),
        (SELECT COUNT(*) FROM {Manifestation} other WHERE other.work = book.work),
        (SELECT COUNT(*) FROM {Holding} holding WHERE holding.manifestation_id = book.id),
        (SELECT SUM(holding.copies) FROM {Holding} holding WHERE holding.manifestation_id = book.id),
        (SELECT COUNT(*) FROM {RecordIssue} issue
            JOIN {Member} beside ON beside.source_record_id = issue.source_record_id
            WHERE beside.manifestation_id = book.id AND issue.severity IN ({severities})),
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM {asked}
    WHERE {condition}
    UNION ALL
    SELECT 2, library.id, {number}, library.closed_on, NULL, holding.copies, NULL, NULL, NULL, NULL, NULL,
        library.name, library.name_en, holding.link, holding.link_kind, NULL, NULL, NULL, holding.packed
    FROM {asked}
    JOIN {Holding} holding ON holding.manifestation_id = book.id
    JOIN {Library} library ON library.id = holding.library_id
    WHERE {condition} AND holding.id IN ({first})
    UNION ALL
    SELECT 3, adapter.library_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        adapter.kind, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM {AvailabilityAdapter} adapter
    WHERE adapter.library_id IN (
        WITH RECURSIVE shown(id) AS (
            SELECT holding.library_id FROM {asked} JOIN {Holding} holding ON holding.manifestation_id = book.id
            WHERE {condition} AND holding.id IN ({first})
            UNION
            SELECT former.id FROM {Library} former JOIN shown ON former.merged_into_id = shown.id)
        SELECT id FROM shown)
    ORDER BY part, nth
"""
_FIRST = """
    SELECT first.id FROM {Holding} first WHERE first.manifestation_id = book.id ORDER BY first.library_id LIMIT {shown}
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
LIBRARY = 2  # the number of the part with a row for each library
LINK = 13  # the column of its link
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
        if dialect().prepares_statements:
            cursor.execute(_prepared(kind), [asked])
        else:
            cursor.execute(_statement("%s", kind), [asked] * 4)
        rows = cursor.fetchall()
    if not rows or rows[0][0]:  # no source record
        return None
    digest = blake2b(digest_size=12)
    for *values, packed in rows:
        digest.update(repr(values).encode() + bytes(packed or b""))
    if any(part == LIBRARY and closed_on for part, _library, _number, closed_on, *_others in rows):
        digest.update(timezone.localdate().isoformat().encode())  # which of the libraries have closed depends on it
    digest.update(_replaced_links(rows))
    return PageTag(rows[0][2], digest.digest())


def _replaced_links(rows: Sequence[Sequence[Any]]) -> bytes:
    """Which links are dead, as far as that concerns these rows of `_STATEMENT`."""
    dead = dead_links()
    if not dead:
        return b""
    shown = (row[LINK] for row in rows if row[0] == LIBRARY)
    concerned = abs(rows[0][2]) in dead.books or any(dead.has(link) for link in shown if link)
    return dead.version if concerned else b""


def _prepared(kind: str) -> str:
    """Return the call of the prepared statement; prepares both first in a new session of PostgreSQL."""
    session = connection.connection
    if session not in _PREPARED:
        with connection.wrap_database_errors:
            for parameter, name in _NAMES.items():
                session.execute(f"PREPARE {name} ({parameter}) AS {_statement('$1', parameter)}")
        _PREPARED.add(session)
    return f"EXECUTE {_NAMES[kind]} (%s)"


@lru_cache(maxsize=8)
def _statement(parameter: str, kind: str) -> str:
    """Return the SQL query of `page_tag` with the table names filled in. parameter: the placeholder for the id. kind:
    its type.
    """
    tables = {model.__name__: connection.ops.quote_name(model._meta.db_table) for model in _MODELS}
    severities = ", ".join(f"'{severity}'" for severity in TO_CORRECT)
    parts = _BY_RECORD if kind == "text" else _BY_NUMBER
    asked = {name: part.format(parameter=parameter, **tables) for name, part in parts.items()}
    asked["first"] = _FIRST.format(shown=SHOWN, **tables)
    return _STATEMENT.format(severities=severities, binary=connection.data_types["BinaryField"], **asked, **tables)
