"""The provider that the trials harvest. `python -m tests.durability.provider` prints its address and serves until its
input is closed. It has a process of its own, because the workers must be forked from a process without threads.
"""

import sys
from datetime import UTC, datetime, timedelta

from sampleprovider.server import running
from sampleprovider.source import SampleRecord, SampleSource
from tests.books import book

RECORDS = 12
PAGE = 3
OLD = "2026-01-10T00:00:00Z"


def sample(number: int, datestamp: str = OLD, title: str = "") -> SampleRecord:
    text = book(f"b{number}", title=title or f"見本の本{number}")
    return SampleRecord(identifier=f"oai:sample:b{number}", datestamp=datestamp, payloads={"dcndl": text})


def deleted(number: int, datestamp: str) -> SampleRecord:
    return SampleRecord(identifier=f"oai:sample:b{number}", datestamp=datestamp, deleted=True)


def dated(number: int) -> SampleRecord:
    """Return a record with its own day as datestamp, for date windows."""
    return sample(number, f"2026-01-{number:02}T00:00:00Z")


CROWD_SOURCES = tuple(f"crowd{number}" for number in range(6))
CROWD_RECORDS = 24
CROWD_PAGE = 4


def crowd(number: int, soon: str) -> SampleSource:
    """Return one of several states of a library. From state to state a third of the books change, a few come or go."""
    records = [
        deleted(book_number, soon)
        if book_number % len(CROWD_SOURCES) == number and book_number % 4 == 1
        else sample(book_number, soon, f"見本の本{book_number % 9} 第{(book_number + number) // 3}版")
        for book_number in range(1, CROWD_RECORDS + 1)
    ]
    return SampleSource(name=CROWD_SOURCES[number], records=records, prefixes=("dcndl",), page_size=CROWD_PAGE)


def sources() -> list[SampleSource]:
    """Return a library before and after some changes, for a provider that keeps deletions and for one that does not.

    The changes have tomorrow's date, so that they are new to every run, however long the trials take.
    """
    soon = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    before = [sample(number) for number in range(1, RECORDS + 1)]
    changed = [sample(number, soon, f"改訂された本{number}") for number in (2, 5, 7, 11)]
    new = [sample(number, soon) for number in (20, 21, 22)]
    gone = [deleted(number, soon) for number in (3, 9)]
    touched = {record.identifier for record in (*changed, *gone)}
    after = [*(record for record in before if record.identifier not in touched), *changed, *new, *gone]
    library = {"prefixes": ("dcndl",), "page_size": PAGE}
    absent = {"oai:sample:b4"}
    return [
        SampleSource(name="before", records=before, **library),
        SampleSource(name="after", records=after, **library),
        SampleSource(name="dated", records=[dated(number) for number in range(1, RECORDS + 1)], **library),
        SampleSource(name="kept", records=before, deleted_record="no", **library),
        SampleSource(
            name="shrunk",
            records=[record for record in before if record.identifier not in absent],
            deleted_record="no",
            **library,
        ),
        SampleSource(name="halved", records=before[: RECORDS // 2], deleted_record="no", **library),
        *(crowd(number, soon) for number in range(len(CROWD_SOURCES))),
    ]


if __name__ == "__main__":
    with running(sources()) as address:
        print(address, flush=True)
        sys.stdin.read()
