"""Finds and corrects harmful characters. Pure.

A fast search over the whole record finds out whether there may be any; only then are the values checked one by one.
"""

import re
from operator import is_not
from typing import Any
from urllib.parse import quote

import msgspec

from metadata.issue import Issue, Severity
from metadata.policy import Policy
from metadata.record import BibliographicRecord, Value

# Names of HTML elements. Tags of blocks separate words, those of inline elements do not.
_BLOCKS = frozenset(
    "br div dd dl dt h1 h2 h3 h4 h5 h6 hr iframe img li object ol p script style table td th tr ul".split()
)
_INLINE = frozenset("a b em font form i small span strong sub sup svg u".split())
_EMPTY = frozenset("br hr img p".split())  # elements without a closing tag, or whose closing tag is often left out
_TAG_NAMES = "|".join(sorted(_BLOCKS | _INLINE, key=len, reverse=True))
_TAG = re.compile(rf"<(/?)({_TAG_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_RUN = re.compile(" {2,}")

MAX_TITLE_LENGTH = 4_000
MAX_VALUE_LENGTH = 65_536

_SHOWN = 300  # characters of a value in an issue
_GETA = "〓"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
# Severities with which the value is changed; a warning keeps it.
_MENDING = frozenset({Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.NORMALISED, Severity.NORMALISED_SILENTLY})
_REQUIRED_FIELDS = frozenset({"titles", "identifiers"})  # fields that no record may lack
_MULTILINE_FIELDS = frozenset({"abstracts", "notes", "contents", "rights"})
_URI_FIELDS = frozenset({"uri", "see_also", "thumbnails"})
_LINK_FIELDS = frozenset(
    {"see_also", "thumbnails", "relations", "files"}
)  # shown as links; URIs in other fields are identifiers

_PRIVATE_USE = re.compile(f"[{_PRIVATE}]")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_BROKEN = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]")
_BEYOND_BMP = re.compile("[\U00010000-\U000effff]")
_ESCAPED_TWICE = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9a-fA-F]+);")
_LINE_BREAK = re.compile("[\t\n\r]+")
_BLANKS = re.compile("[ \u00a0]{2,}")
_NOT_IN_URI = re.compile(r"[ <>\"{}|\\^`\[\]]")

# All of the above in one pattern, and characters that may begin markup.
_ODD = re.compile(
    f"[\t\n\r<&\x7f-\xa0\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069{_PRIVATE}\ufeff\ufffd\U00010000-\U000effff]"
)

# Reported, but never changed.
_REPORTED_ONLY = (("chars.W007", _BROKEN), ("chars.W006", _BEYOND_BMP), ("chars.W009", _ESCAPED_TWICE))

# Bytes to look for in the record's JSON in UTF-8: those that are always suspect, and those that need a pattern.
_ALWAYS = b"\xee\xf0\xf1\xf2\xf3\xf4\x7f"
_PATTERNS = {
    0xEF: re.compile(b"\xef(?:[\x80-\xa3]|\xbb\xbf|\xbf\xbd)"),
    0xE2: re.compile(b"\xe2(?:\x80[\x8b\x8e\x8f\xaa-\xae]|\x81[\xa0\xa6-\xa9])"),
    0xC2: re.compile(b"\xc2(?:[\x80-\x9f]|\xa0(?:\xc2\xa0| ))| \xc2\xa0"),
    ord("&"): re.compile(rb"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9a-fA-F]+);"),
    ord("<"): re.compile(rb"</?[A-Za-z]"),
    ord("\\"): re.compile(rb"\\[ntr]"),
}
_HARMLESS = bytes(set(range(256)) - set(_ALWAYS) - set(_PATTERNS))
# A JSON string that begins as a web address and contains a character that is not allowed in a URI.
_BAD_ADDRESS = re.compile(rb'"http[!#-;=?-Z_a-z~\x80-\xff]*+[^"]')
_encode = msgspec.json.Encoder().encode


def check_characters(
    record: BibliographicRecord, elements: dict[str, str], policy: Policy
) -> tuple[BibliographicRecord, list[Issue]]:
    """Return the record with corrected texts, and the issues. elements: record field -> element, for the messages.

    A value is not changed if by the policy its issue is only a warning or the rule is off.
    """
    data = _encode(record)
    if not _is_suspect(data) and (len(data) <= MAX_TITLE_LENGTH or not _is_long(record, len(data))):
        return record, []
    inspection = _Inspection(elements, policy)
    return inspection.mend(record), inspection.issues()


def _is_suspect(data: bytes) -> bool:
    """Whether the bytes may contain harmful characters.

    Harmless bytes are deleted in one pass; in most records hardly any are left.
    """
    if _BAD_ADDRESS.search(data):
        return True
    rest = data.translate(None, _HARMLESS)
    if not rest:
        return False
    leads = set(rest)
    return not leads <= _PATTERNS.keys() or any(_PATTERNS[lead].search(data) for lead in leads)


def _may_have_issues(value: Any) -> bool:
    """Whether a value may contain suspect characters or be too long. In most suspect records, one field does."""
    data = _encode(value)
    return len(data) > MAX_TITLE_LENGTH or _is_suspect(data)


def _is_long(record: BibliographicRecord, size: int) -> bool:
    return size > MAX_VALUE_LENGTH or any(len(title.value) > MAX_TITLE_LENGTH for title in record.titles)


class _Inspection:
    """One pass through a record."""

    def __init__(self, elements: dict[str, str], policy: Policy) -> None:
        self._elements = elements
        self._policy = policy
        self._issues: dict[tuple[str, str], Issue] = {}  # one issue for each code and element is enough

    def mend(self, record: BibliographicRecord) -> BibliographicRecord:
        changes: dict[str, Any] = {}
        for name in record.__struct_fields__:
            value = getattr(record, name)
            mended = self._mend(value, name, name) if value and _may_have_issues(value) else value
            if mended is not value:
                changes[name] = mended
        return msgspec.structs.replace(record, **changes) if changes else record

    def issues(self) -> list[Issue]:
        return list(self._issues.values())

    def _mend(self, value: Any, name: str, part: str) -> Any:
        """Return the corrected value; the same object if nothing changed. name: record field; part: field inside it."""
        if isinstance(value, str):
            return self._mend_text(value, name, part) if value else value
        if isinstance(value, tuple):
            mended = tuple([self._mend(item, name, part) for item in value])
            return mended if any(map(is_not, mended, value)) else value
        if isinstance(value, Value):
            changes = {}
            for field in value.__struct_fields__:
                received = getattr(value, field)
                if received and (mended := self._mend(received, name, field)) is not received:
                    changes[field] = mended
            return msgspec.structs.replace(value, **changes) if changes else value
        return value

    def _mend_text(self, text: str, name: str, part: str) -> str:
        if len(text) > MAX_TITLE_LENGTH:
            self._check_length(text, name)
        if _ODD.search(text):
            text = self._report(self._mend_characters(text, name, part), name)
        if part in _URI_FIELDS and text.startswith("http") and _NOT_IN_URI.search(text):
            text = self._encode_uri(text, name, part)
        return text

    def _mend_characters(self, text: str, name: str, part: str) -> str:
        text = self._substitute("chars.N007", name, text, _INVISIBLE, "")
        text = self._substitute(
            "chars.E015" if name in _REQUIRED_FIELDS else "chars.E005", name, text, _PRIVATE_USE, _GETA
        )
        if "<" in text:
            text = self._remove_markup(text, name)
        if "\u00a0" in text:
            text = self._change("chars.N107", name, text, _BLANKS.sub(_one_blank, text))
        if not _MULTILINE_FIELDS & {name, part} and _LINE_BREAK.search(text):
            lines = map(str.strip, _LINE_BREAK.split(text))
            text = self._change("chars.N012", name, text, " ".join(filter(None, lines)))
        return text

    def _report(self, text: str, name: str) -> str:
        for code, pattern in _REPORTED_ONLY:
            if matches := pattern.findall(text):
                self._add(code, name, _listed(matches, text))
        return text

    def _check_length(self, text: str, name: str) -> None:
        if len(text) > (MAX_TITLE_LENGTH if name == "titles" else MAX_VALUE_LENGTH):
            self._add("chars.W013", name, str(len(text)))

    def _substitute(self, code: str, name: str, text: str, pattern: re.Pattern[str], replacement: str) -> str:
        matches = pattern.findall(text)
        if not matches:
            return text
        mended = pattern.sub(replacement, text) if self._is_mended(code) else text
        self._add(code, name, _listed(matches, text), mended if mended != text else "")
        return mended

    def _remove_markup(self, text: str, name: str) -> str:
        plain = strip_markup(text) or text  # a text that is nothing but a tag is kept: it may be a title
        if plain != text:
            return self._change("chars.N010", name, text, plain)
        if has_markup(text):
            self._add("chars.I010", name, text)
        return text

    def _encode_uri(self, text: str, name: str, part: str) -> str:
        """Percent-encode characters that are not allowed in a URI; a URI that is an identifier is only reported."""
        encoded = _NOT_IN_URI.sub(lambda match: quote(match[0]), text)
        if name not in _LINK_FIELDS and part not in _LINK_FIELDS:
            self._add("chars.W114", name, text)
        elif self._policy.severity("chars.W014"):
            self._add("chars.W014", name, text, encoded)
            return encoded
        return text

    def _change(self, code: str, name: str, text: str, mended: str) -> str:
        """Report a change, and return the corrected text if the policy asks for it, else the text itself."""
        if mended == text:
            return text
        is_mended = self._is_mended(code)
        self._add(code, name, text, mended if is_mended else "")
        return mended if is_mended else text

    def _is_mended(self, code: str) -> bool:
        return self._policy.severity(code) in _MENDING

    def _add(self, code: str, name: str, value: str, result: str = "") -> None:
        element = self._elements.get(name, name)
        issue = Issue(code=code, field=element, value=value[:_SHOWN], result=result[:_SHOWN])
        self._issues.setdefault((code, element), issue)


def _one_blank(match: re.Match[str]) -> str:
    """Replace blanks by one if a no-break space is among them, which shows that they come from a layout."""
    return " " if "\u00a0" in match[0] else match[0]


def _listed(matches: list[str], text: str) -> str:
    """The characters found, without repetition, and their context: "U+E000 (外字□です)"."""
    return f"{' '.join(dict.fromkeys(map(_shown, matches[:20])))} ({text[:100]})"


def _shown(matches: str) -> str:
    """A single character as its code point, because it may be invisible."""
    return f"U+{ord(matches):04X}" if len(matches) == 1 else matches.strip()


def has_markup(text: str) -> bool:
    return _TAG.search(text) is not None


def strip_markup(text: str) -> str:
    """Return the text, without its tags if it is HTML: if it has a pair of tags, or a tag that needs no pair."""
    opened: set[str] = set()
    closed: set[str] = set()
    for end, name in _TAG.findall(text):
        (closed if end else opened).add(name.lower())
    if not (opened & closed or opened & _EMPTY):
        return text
    return _RUN.sub(" ", _TAG.sub(_gap, text)).strip()


def _gap(tag: re.Match[str]) -> str:
    return " " if tag[2].lower() in _BLOCKS else ""
