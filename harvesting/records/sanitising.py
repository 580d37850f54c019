"""What of a received record every database can keep. Pure; what cannot be kept becomes an issue, never an exception.

PostgreSQL takes no NUL in texts, UTF-8 no lone surrogates, and an index no key beyond a third of a page.
"""

import hashlib
import re
from dataclasses import replace

from harvesting.types import HarvestedRecord
from metadata.issue import Issue

LONGEST_IDENTIFIER = 2000  # bytes in UTF-8; PostgreSQL's index refuses more than 2,704
SHORT = LONGEST_IDENTIFIER // 4  # characters of a whole header that need no closer look
LONGEST_DATESTAMP = 40  # characters, as the column
LONGEST_SET = 500  # characters
MOST_SETS = 1000  # of one record
LARGEST_PAYLOAD = 16 * 1024 * 1024  # bytes; a record is some thousand
KEPT_OF_LARGE = 1024 * 1024  # bytes of a payload that is too large, for the error report
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def fit(record: HarvestedRecord) -> HarvestedRecord:
    """The record as it can be stored: identifier trimmed, what no database takes left out, each with its issue.

    A record that cannot be registered at all carries a record error, and a made-up identifier if its own is useless.
    """
    name, text = record.identifier, f"{record.identifier}{record.datestamp}{''.join(record.set_specs)}"
    if (
        text.isprintable()  # excludes what UNSTORABLE finds, and all blanks but the plain one
        and len(text) <= SHORT
        and name == name.strip(" ")
        and len(record.datestamp) <= LONGEST_DATESTAMP
        and len(record.payload) <= LARGEST_PAYLOAD
        and (record.datestamp or not record.deleted)
    ):
        return record  # as nearly always
    return _fitted(record)


def storable(text: str) -> str:
    """The text with a replacement character for each one that a database refuses."""
    return text if text.isprintable() else UNSTORABLE.sub("\ufffd", text)


def is_header_value(text: str, longest: int) -> bool:
    """Whether a date stamp or a set can be kept as it is."""
    return len(text) <= longest and (text.isprintable() or not UNSTORABLE.search(text))


def fitting_sets(set_specs: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the sets that can be kept."""
    return tuple(each for each in set_specs[:MOST_SETS] if is_header_value(each, LONGEST_SET))


def made_up(content: bytes) -> str:
    """A key for a record without a usable identifier, so that its bytes are kept for the error report."""
    return f"urn:sha256:{hashlib.sha256(content).hexdigest()}"


def _fitted(record: HarvestedRecord) -> HarvestedRecord:
    issues = list(record.issues)
    identifier = record.identifier.strip()
    if UNSTORABLE.search(identifier) or len(identifier.encode()) > LONGEST_IDENTIFIER:
        issues.append(Issue(code="harvest.E001", field="header/identifier", value=storable(identifier)[:200]))
        identifier = made_up(identifier.encode(errors="surrogatepass"))
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
        issues=tuple(issues),
    )


def _dropped(set_specs: tuple[str, ...]) -> str:
    """The first set that cannot be kept."""
    kept = set(fitting_sets(set_specs))
    return storable(next((each for each in set_specs if each not in kept), ""))[:200]
