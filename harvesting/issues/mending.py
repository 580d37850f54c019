"""The exact change of a payload that resolves an issue, found by trying: the payload is changed and read again. No
database access.

Only the value of a single element or attribute is replaced: by the value that was registered for it, or by the value in
its usual characters (NFKC). A change is only returned if the issue is gone and there is no new one.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from harvesting.issues.excerpts import Excerpt, excerpt
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import read
from metadata.xml.spans import received, spans

LARGEST = 200_000  # bytes of a payload that is read again
LONGEST = 2_000  # characters of an element that is shown
MOST = 10  # issues of a record that are tried


@dataclass(frozen=True, slots=True)
class Change:
    """An element as it was sent, and as it should be sent."""

    before: Excerpt
    after: Excerpt


def changes(payload: bytes, prefix: str, policy: Policy, issues: Iterable[Issue]) -> dict[Issue, Change]:
    """Issue -> the change that resolves it, for those issues for which one was found."""
    if not payload or len(payload) > LARGEST:
        return {}
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError:
        return {}
    reading = read(payload, prefix, policy)
    tried = [issue for issue in dict.fromkeys(issues) if issue.value][:MOST]
    found = ((issue, _change(text, prefix, policy, issue, reading)) for issue in tried)
    return {issue: change for issue, change in found if change is not None}


def _change(text: str, prefix: str, policy: Policy, issue: Issue, reading: Reading) -> Change | None:
    for before, after, changed in _candidates(text, issue):
        if _resolves(reading, read(changed.encode(), prefix, policy), issue):
            return Change(excerpt(before.encode()), excerpt(after.encode()))
    return None


def _candidates(text: str, issue: Issue) -> Iterator[tuple[str, str, str]]:
    """Yield an element as it is, as it might be, and the whole text with that; for each value that might be right."""
    value = received(issue.value)
    for wanted in dict.fromkeys((issue.result, unicodedata.normalize("NFKC", value).strip())):
        for start, end in spans(text, issue) if wanted and wanted != value else ():
            before = text[start:end]
            after = _replaced(before, value, wanted)
            if after and len(before) <= LONGEST:
                yield before, after, text[:start] + after + text[end:]


def _replaced(element: str, value: str, wanted: str) -> str:
    """Return an element with a value replaced that is its whole text or that of an attribute; "" if it is neither."""
    forms = dict.fromkeys((value, escape(value, quote=False), escape(value)))
    pattern = rf"""(?<=[>"'])(\s*)(?:{"|".join(map(re.escape, forms))})(\s*)(?=[<"'])"""
    changed, number = re.subn(pattern, lambda match: match[1] + escape(wanted) + match[2], element, count=1)
    return changed if number else ""


def _resolves(earlier: Reading, reading: Reading, issue: Issue) -> bool:
    """Whether an issue is gone, no other has come, and the record can be registered if it could before."""
    there = (issue.code, issue.field)
    left = sum((other.code, other.field) == there for other in reading.issues)
    fewer = left < sum((other.code, other.field) == there for other in earlier.issues)
    new = {(other.code, other.field) for other in reading.issues} - {
        (other.code, other.field) for other in earlier.issues
    }
    return fewer and not new and (reading.record is not None or earlier.record is None)
