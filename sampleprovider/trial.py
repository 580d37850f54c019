"""The twelve books that scenarios are tried with. Pure.

Four pages of three; a hundred days lie between two datestamps, so that lists can be asked for by windows of time.
"""

import re
from datetime import UTC, datetime, timedelta

from sampleprovider.books import book
from sampleprovider.rendering import full_dcndl, oai_dc
from sampleprovider.source import DEFAULT_BASE, SampleRecord, SampleSet, SampleSource

NAME = "library"
COUNT = 12
PAGE = 3
START = datetime(2022, 1, 15, 9, tzinfo=UTC)
STEP = timedelta(days=100)
NUMBER = re.compile(r"\d{9}")


def trial_source(prefixes: tuple[str, ...] = ("oai_dc", "dcndl")) -> SampleSource:
    """A provider with COUNT live records in two sets."""
    return SampleSource(
        name=NAME,
        title="見本の図書館",
        title_en="A sample library",
        records=[trial_record(number) for number in range(COUNT)],
        prefixes=prefixes,
        sets=(SampleSet("a", "甲"), SampleSet("b", "乙")),
        page_size=PAGE,
    )


def trial_record(number: int) -> SampleRecord:
    """One of them, or a further one of the same kind."""
    about = f"{DEFAULT_BASE}/{NAME}/books/{number:09d}"
    return SampleRecord(
        identifier=f"oai:{NAME}.example:{number:09d}",
        datestamp=(START + number * STEP).strftime("%Y-%m-%dT%H:%M:%SZ"),
        sets=("ab"[number % 2],),
        payloads={"oai_dc": oai_dc(book(number), about), "dcndl": full_dcndl(book(number), about)},
    )


def number_of(identifier: str) -> int:
    """The number of a record by whatever identifier a protocol gives it, -1 for a stranger."""
    found = NUMBER.findall(identifier)
    return int(found[-1]) if found else -1
