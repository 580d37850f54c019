"""Which doctoral theses the NDL collects from repositories, and what it needs of them: the rules `thesis.*`. Pure.

Since 2013-04-01 doctoral theses are published on the Internet (学位規則), and the NDL collects their full text. The
term of COAR tells them, which only repositories use: of other theses the NDL has the printed copies.
"""

import datetime
import re
from collections.abc import Iterator

from metadata.formats.jpcoar.rules import (
    DEPOSIT_FROM,
    FULL_TEXT,
    NOT_DEPOSITED,
    date_granted,
    has_full_text,
    resource_type,
)
from metadata.formats.jpcoar.terms import DOCTORAL
from metadata.formats.jpcoar.write.record import write
from metadata.issue import Issue
from metadata.record import Agent, BibliographicRecord

IN_FUTURE, EMBARGOED = "thesis.E203", "thesis.I110"
UNTIL_A_DAY = (IN_FUTURE, EMBARGOED)  # rules whose issues go away as time passes
KAKENHI = "kakenhi"
__all__ = [
    "EMBARGOED",
    "IN_FUTURE",
    "NOT_DEPOSITED",
    "UNTIL_A_DAY",
    "date_granted",
    "institutions",
    "is_collected",
    "needs",
    "write",
]
# 甲第5384号, 乙第理学2345号, 第331号: as junii2 3.1 and JPCOAR have it, without the institution's number
_NUMBER = re.compile(r"[甲乙他]?[^第0-9]*第[^第]*[0-9]+号")
_INSTITUTION = re.compile("[0-9]{5}")
_YEAR = re.compile("[0-9]{4}")
_OPEN, _EMBARGOED = "open access", "embargoed access"
_UNKNOWN_LANGUAGES = frozenset({"", "und", "zxx"})
_DATE, _ACCESS = "dcndl:dateGranted", "dcterms:accessRights"


def is_collected(record: BibliographicRecord | None) -> bool:
    """Whether this is a doctoral thesis of 2013-04-01 or later. Without a date of granting, that of issue decides."""
    if record is None or resource_type(record) != DOCTORAL:
        return False
    given = next(filter(_YEAR.match, (date_granted(record), record.issued)), "")
    return bool(given) and given >= DEPOSIT_FROM[: len(given)]


def needs(record: BibliographicRecord, today: datetime.date) -> Iterator[Issue]:
    """Yield what keeps a thesis from being handed over. Issues that go away as time passes come first."""
    yield from _access(record, today)
    yield from _granted(record, today)
    yield from _number(record)
    yield from _degree(record)
    yield from _grantor(record)
    if not any(agent.name.strip() for agent in record.creators):
        yield Issue(code="thesis.E005", field="jpcoar:creator")
    if set(record.languages) <= _UNKNOWN_LANGUAGES:
        yield Issue(code="thesis.E006", field="dc:language", value=", ".join(record.languages))


def _access(record: BibliographicRecord, today: datetime.date) -> Iterator[Issue]:
    """Yield why there is no full text that can be read: a reason, or that none is given."""
    access = next(iter(record.access_rights), "")
    if access == _EMBARGOED:
        available = next((date.value for date in record.other_dates if date.type == "available"), "")
        opens = day_of(available)
        if opens is None:
            yield Issue(code="thesis.E011", field='datacite:date[@dateType="Available"]', value=available or access)
        elif opens > today:
            yield Issue(code=EMBARGOED, field=_ACCESS, value=available)
        elif not has_full_text(record):
            yield Issue(code="thesis.E010", field=FULL_TEXT, value=access)
    elif access not in {"", _OPEN}:
        yield Issue(code="thesis.I010", field=_ACCESS, value=access)
    elif not has_full_text(record):
        yield Issue(code="thesis.E010", field=FULL_TEXT, value=access)


def _granted(record: BibliographicRecord, today: datetime.date) -> Iterator[Issue]:
    given = date_granted(record)
    day = day_of(given)
    if not given:
        yield Issue(code="thesis.E003", field=_DATE)
    elif day is None:
        yield Issue(code="thesis.E103", field=_DATE, value=given)
    elif day > today:
        yield Issue(code=IN_FUTURE, field=_DATE, value=given)


def _number(record: BibliographicRecord) -> Iterator[Issue]:
    number = next(iter(record.dissertation_numbers), "").strip()
    if not number:
        yield Issue(code="thesis.E001", field="dcndl:dissertationNumber")
    elif not _NUMBER.fullmatch(number):
        yield Issue(code="thesis.E101", field="dcndl:dissertationNumber", value=number)


def _degree(record: BibliographicRecord) -> Iterator[Issue]:
    if not any(name.strip() for name in record.degree_names):
        yield Issue(code="thesis.E002", field="dcndl:degreeName")


def _grantor(record: BibliographicRecord) -> Iterator[Issue]:
    if not any(agent.name.strip() for agent in record.degree_grantors):
        yield Issue(code="thesis.E004", field="jpcoar:degreeGrantor/jpcoar:degreeGrantorName")
    numbers = [number for agent in record.degree_grantors for number in institutions(agent)]
    if not any(map(_INSTITUTION.fullmatch, numbers)):
        given = ", ".join(numbers)
        yield Issue(code="thesis.E104", field="jpcoar:degreeGrantor/jpcoar:nameIdentifier", value=given)


def institutions(agent: Agent) -> list[str]:
    """Return the numbers by which KAKENHI knows an institution."""
    return [number.value for number in agent.identifiers if number.scheme == KAKENHI]


def day_of(date: str) -> datetime.date | None:
    """Return the day that a date in the form YYYY-MM-DD means, None if there is no such day."""
    try:
        return datetime.date.fromisoformat(date) if len(date) == len(DEPOSIT_FROM) else None
    except ValueError:
        return None
