"""Makes received records storable in every database. What cannot be stored becomes an issue, never an exception. No
database access.

PostgreSQL accepts no NUL in texts, UTF-8 no lone surrogates, and an index no key longer than a third of a page.
"""

import hashlib
import re
from dataclasses import replace

from harvesting.types import HarvestedRecord
from metadata.issue import Issue

LONGEST_IDENTIFIER = 2000  # bytes in UTF-8; PostgreSQL's index refuses more than 2,704
SHORT = LONGEST_IDENTIFIER // 4  # characters of a whole header; in a shorter one no value can be too long
LONGEST_DATESTAMP = 40  # characters, the length of the column
LONGEST_SET = 500  # characters
MOST_SETS = 1000  # of one record
LARGEST_PAYLOAD = 16 * 1024 * 1024  # bytes; records usually have a few thousand
KEPT_OF_LARGE = 1024 * 1024  # bytes that are stored of a payload that is too large, to be shown with the issue
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def make_storable(record: HarvestedRecord) -> HarvestedRecord:
    """The record as it can be stored: identifier trimmed, unstorable values left out, with an issue for each of them.

    A record that cannot be registered gets a record error, and a made-up identifier if its own is unusable.
    """
    identifier, text = record.identifier, f"{record.identifier}{record.datestamp}{''.join(record.set_specs)}"
    if (
        text.isprintable()  # excludes what UNSTORABLE matches, and all blanks except the plain space
        and len(text) <= SHORT
        and identifier == identifier.strip(" ")
        and len(record.datestamp) <= LONGEST_DATESTAMP
        and len(record.payload) <= LARGEST_PAYLOAD
        and (record.datestamp or not record.deleted)
    ):
        return record  # the usual case, decided without looking at the values one by one
    return _fitted(record)


def storable(text: str) -> str:
    """The text with U+FFFD in place of every character that a database refuses."""
    return text if text.isprintable() else UNSTORABLE.sub("\ufffd", text)


def is_header_value(text: str, longest: int) -> bool:
    """Whether a datestamp or a set spec can be stored as it is."""
    return len(text) <= longest and (text.isprintable() or not UNSTORABLE.search(text))


def fitting_sets(set_specs: tuple[str, ...]) -> tuple[str, ...]:
    """The set specs that can be stored."""
    return tuple(set_spec for set_spec in set_specs[:MOST_SETS] if is_header_value(set_spec, LONGEST_SET))


def made_up_identifier(content: bytes) -> str:
    """A key for a record without a usable identifier, so that its payload and issues can be stored."""
    return f"urn:sha256:{hashlib.sha256(content).hexdigest()}"


def _fitted(record: HarvestedRecord) -> HarvestedRecord:
    issues = list(record.issues)
    identifier = record.identifier.strip()
    if UNSTORABLE.search(identifier) or len(identifier.encode()) > LONGEST_IDENTIFIER:
        issues.append(Issue(code="harvest.E001", field="header/identifier", value=storable(identifier)[:200]))
        identifier = made_up_identifier(identifier.encode(errors="surrogatepass"))
    datestamp = record.datestamp
    if not is_header_value(datestamp, LONGEST_DATESTAMP):
        issues.append(Issue(code="harvest.W003", field="header/datestamp", value=storable(datestamp)[:200]))
        datestamp = ""
    elif record.deleted and not datestamp:
        issues.append(Issue(code="harvest.W004", field="header/datestamp"))
    set_specs = fitting_sets(record.set_specs)
    if len(set_specs) < len(record.set_specs):
        issues.append(Issue(code="harvest.W003", field="header/setSpec", value=_dropped(record.set_specs)))
    payload, root = record.payload, record.root
    if len(payload) > LARGEST_PAYLOAD:
        issues.append(Issue(code="harvest.E002", field="metadata", value=str(len(payload))))
        payload, root = payload[:KEPT_OF_LARGE], None
    return replace(
        record,
        identifier=identifier,
        datestamp=datestamp,
        set_specs=set_specs,
        payload=payload,
        root=root,
        received=b"" if issues != list(record.issues) or identifier != record.identifier else record.received,
        issues=tuple(issues),
    )


def _dropped(set_specs: tuple[str, ...]) -> str:
    """The first set spec that cannot be stored."""
    storable_sets = set(fitting_sets(set_specs))
    return storable(next((set_spec for set_spec in set_specs if set_spec not in storable_sets), ""))[:200]
