"""The source of twelve records that scenarios are tested with. Pure.

Four pages of three records. Datestamps are a hundred days apart, so that lists can be requested by date windows.
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
    """Return a provider with COUNT live records in two sets."""
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
    """Return a record by its number; numbers from COUNT on give further records of the same kind."""
    about = f"{DEFAULT_BASE}/{NAME}/books/{number:09d}"
    return SampleRecord(
        identifier=f"oai:{NAME}.example:{number:09d}",
        datestamp=(START + number * STEP).strftime("%Y-%m-%dT%H:%M:%SZ"),
        sets=("ab"[number % 2],),
        payloads={"oai_dc": oai_dc(book(number), about), "dcndl": full_dcndl(book(number), about)},
    )


def number_of(identifier: str) -> int:
    """Return the number of a record from its identifier in any protocol, -1 if it has none."""
    numbers = NUMBER.findall(identifier)
    return int(numbers[-1]) if numbers else -1
