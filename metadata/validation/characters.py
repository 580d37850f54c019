"""Characters that hurt: found in one look at the whole record, named and mended value by value only then. Pure."""

import re
from typing import Any

import msgspec

from metadata.issue import Issue, Severity
from metadata.record import BibliographicRecord, Value
from metadata.validation.policy import Policy

TITLE_LENGTH = 4_000
VALUE_LENGTH = 65_536

_GETA = "〓"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_MENDING = frozenset({Severity.RECORD_ERROR, Severity.ITEM_ERROR})
_IDENTIFYING = frozenset({"titles", "identifiers"})  # without them there is no record
_SEVERAL_LINES = frozenset({"abstracts", "notes", "contents", "rights"})

_PRIVATE_USE = re.compile(f"[{_PRIVATE}]")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_BROKEN = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]")
_BEYOND_BMP = re.compile("[\U00010000-\U000effff]")
_ESCAPED_TWICE = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9a-fA-F]+);")
_TAG = re.compile(
    r"</?(?:a|b|br|div|em|font|form|h[1-6]|i|iframe|img|li|object|ol|p|script|span|strong|style|sub|sup|svg|table|td|tr"
    r"|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_LINE_BREAKS = re.compile(r"\s*[\t\n\r]\s*")

# Told, and left as it is.
_TOLD = (("chars.W007", _BROKEN), ("chars.W006", _BEYOND_BMP), ("chars.W009", _ESCAPED_TWICE), ("chars.I010", _TAG))

# What to look for in the record's JSON in UTF-8: bytes that are wrong in any case, and bytes that a pattern decides.
_ALWAYS = b"\xee\xf0\xf1\xf2\xf3\xf4\x7f"
_PATTERNS = {
    0xEF: re.compile(b"\xef(?:[\x80-\xa3]|\xbb\xbf|\xbf\xbd)"),
    0xE2: re.compile(b"\xe2(?:\x80[\x8b\xaa-\xae]|\x81[\xa0\xa6-\xa9])"),
    0xC2: re.compile(b"\xc2[\x80-\x9f]"),
    ord("&"): re.compile(rb"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9a-fA-F]+);"),
    ord("<"): re.compile(rb"</?[A-Za-z]"),
    ord("\\"): re.compile(rb"\\[ntr]"),
}
_HARMLESS = bytes(set(range(256)) - set(_ALWAYS) - set(_PATTERNS))
_encode = msgspec.json.Encoder().encode


def check_characters(
    record: BibliographicRecord, elements: dict[str, str], policy: Policy
) -> tuple[BibliographicRecord, list[Issue]]:
    """The record with mended texts, and what was found. elements: record field → element, for the messages.

    Characters of the private use area stay where the policy only warns of them or does not ask.
    """
    data = _encode(record)
    if not _is_suspect(data) and (len(data) <= TITLE_LENGTH or not _is_long(record, len(data))):
        return record, []
    inspection = _Inspection(elements, policy)
    return inspection.mend(record), inspection.issues()


def _is_suspect(data: bytes) -> bool:
    """Deleting all harmless bytes takes one pass; in most records nothing, or next to nothing, is left."""
    rest = data.translate(None, _HARMLESS)
    if not rest:
        return False
    leads = set(rest)
    return not leads <= _PATTERNS.keys() or any(_PATTERNS[lead].search(data) for lead in leads)


def _is_long(record: BibliographicRecord, size: int) -> bool:
    return size > VALUE_LENGTH or any(len(each.value) > TITLE_LENGTH for each in record.titles)


class _Inspection:
    """One walk through a record."""

    def __init__(self, elements: dict[str, str], policy: Policy) -> None:
        self._elements = elements
        self._policy = policy
        self._found: dict[tuple[str, str], Issue] = {}  # one issue a code and element says it all

    def mend(self, record: BibliographicRecord) -> BibliographicRecord:
        changes: dict[str, Any] = {}
        for name in record.__struct_fields__:
            value = getattr(record, name)
            mended = self._mend(value, name)
            if mended != value:
                changes[name] = mended
        return msgspec.structs.replace(record, **changes) if changes else record

    def issues(self) -> list[Issue]:
        return list(self._found.values())

    def _mend(self, value: Any, name: str) -> Any:
        if isinstance(value, str):
            return self._mend_text(value, name) if value else value
        if isinstance(value, tuple):
            return tuple(self._mend(each, name) for each in value)
        if isinstance(value, Value):
            return type(value)(
                **{
                    part: self._mend(getattr(value, part), "notes" if part == "notes" else name)
                    for part in value.__struct_fields__
                }
            )
        return value

    def _mend_text(self, text: str, name: str) -> str:
        if _INVISIBLE.search(text):
            self._note("chars.N007", name, text, _INVISIBLE)
            text = _INVISIBLE.sub("", text)
        if _PRIVATE_USE.search(text):
            code = "chars.E015" if name in _IDENTIFYING else "chars.E005"
            self._note(code, name, text, _PRIVATE_USE)
            if self._policy.severity(code) in _MENDING:
                text = _PRIVATE_USE.sub(_GETA, text)
        for code, pattern in _TOLD:
            if pattern.search(text):
                self._note(code, name, text, pattern)
        if name not in _SEVERAL_LINES and _LINE_BREAKS.search(text):
            self._note("chars.N012", name, text, _LINE_BREAKS)
            text = _LINE_BREAKS.sub(" ", text).strip()
        if len(text) > (TITLE_LENGTH if name == "titles" else VALUE_LENGTH):
            self._add("chars.W013", name, str(len(text)))
        return text

    def _note(self, code: str, name: str, text: str, pattern: re.Pattern[str]) -> None:
        found = " ".join(dict.fromkeys(map(_shown, pattern.findall(text)[:20])))
        self._add(code, name, f"{found} ({text[:100]})")

    def _add(self, code: str, name: str, value: str) -> None:
        element = self._elements.get(name, name)
        self._found.setdefault((code, element), Issue(code=code, field=element, value=value))


def _shown(found: str) -> str:
    """A character that may be invisible, as its number."""
    return f"U+{ord(found):04X}" if len(found) == 1 else found.strip()
