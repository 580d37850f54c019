"""Characters that hurt: found in one look at the whole record, named and mended value by value only then. Pure."""

import re
from operator import is_not
from typing import Any
from urllib.parse import quote

import msgspec

from metadata.issue import Issue, Severity
from metadata.policy import Policy
from metadata.record import BibliographicRecord, Value

# Names of HTML that no title or note means as a word; those of blocks part words.
_BLOCKS = frozenset(
    "br div dd dl dt h1 h2 h3 h4 h5 h6 hr iframe img li object ol p script style table td th tr ul".split()
)
_INLINE = frozenset("a b em font form i small span strong sub sup svg u".split())
_EMPTY = frozenset("br hr img p".split())  # no closing tag, or one that is often left out
_NAMES = "|".join(sorted(_BLOCKS | _INLINE, key=len, reverse=True))
_TAG = re.compile(rf"<(/?)({_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_RUN = re.compile(" {2,}")

TITLE_LENGTH = 4_000
VALUE_LENGTH = 65_536

_SHOWN = 300  # characters of a value that an issue keeps
_GETA = "〓"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
# What a finding must count as for its value to be changed: a warning keeps it.
_MENDING = frozenset({Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.NORMALISED, Severity.NORMALISED_SILENTLY})
_IDENTIFYING = frozenset({"titles", "identifiers"})  # without them there is no record
_SEVERAL_LINES = frozenset({"abstracts", "notes", "contents", "rights"})
_URI_FIELDS = frozenset({"uri", "see_also", "thumbnails"})
_LINKS = frozenset({"see_also", "thumbnails", "relations", "files"})  # which pages link to; other URIs are names

_PRIVATE_USE = re.compile(f"[{_PRIVATE}]")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_BROKEN = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]")
_BEYOND_BMP = re.compile("[\U00010000-\U000effff]")
_ESCAPED_TWICE = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9a-fA-F]+);")
_LINE_BREAK = re.compile("[\t\n\r]+")
_BLANKS = re.compile("[ \u00a0]{2,}")
_NO_URI = re.compile(r"[ <>\"{}|\\^`\[\]]")

# All of the above at once, and what may be markup.
_ODD = re.compile(
    f"[\t\n\r<&\x7f-\xa0\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069{_PRIVATE}\ufeff\ufffd\U00010000-\U000effff]"
)

# Told, and left as it is.
_TOLD = (("chars.W007", _BROKEN), ("chars.W006", _BEYOND_BMP), ("chars.W009", _ESCAPED_TWICE))

# What to look for in the record's JSON in UTF-8: bytes that are wrong in any case, and bytes that a pattern decides.
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
# A text that begins as a web address and has what no URI can have before its quotation mark, which is JSON's.
_BAD_ADDRESS = re.compile(rb'"http[!#-;=?-Z_a-z~\x80-\xff]*+[^"]')
_encode = msgspec.json.Encoder().encode


def check_characters(
    record: BibliographicRecord, elements: dict[str, str], policy: Policy
) -> tuple[BibliographicRecord, list[Issue]]:
    """The record with mended texts, and what was found. elements: record field → element, for the messages.

    Nothing is changed where the policy only warns of it or does not ask.
    """
    data = _encode(record)
    if not _is_suspect(data) and (len(data) <= TITLE_LENGTH or not _is_long(record, len(data))):
        return record, []
    inspection = _Inspection(elements, policy)
    return inspection.mend(record), inspection.issues()


def _is_suspect(data: bytes) -> bool:
    """Deleting all harmless bytes takes one pass; in most records nothing, or next to nothing, is left."""
    if _BAD_ADDRESS.search(data):
        return True
    rest = data.translate(None, _HARMLESS)
    if not rest:
        return False
    leads = set(rest)
    return not leads <= _PATTERNS.keys() or any(_PATTERNS[lead].search(data) for lead in leads)


def _is_looked_at(value: Any) -> bool:
    """Whether one field may hold what is odd or too long: mostly one field does, and the others need no walk."""
    data = _encode(value)
    return len(data) > TITLE_LENGTH or _is_suspect(data)


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
            mended = self._mend(value, name, name) if value and _is_looked_at(value) else value
            if mended is not value:
                changes[name] = mended
        return msgspec.structs.replace(record, **changes) if changes else record

    def issues(self) -> list[Issue]:
        return list(self._found.values())

    def _mend(self, value: Any, name: str, part: str) -> Any:
        """name: the record's field; part: that of the value inside it which is looked at."""
        if isinstance(value, str):
            return self._mend_text(value, name, part) if value else value
        if isinstance(value, tuple):
            mended = tuple([self._mend(each, name, part) for each in value])
            return mended if any(map(is_not, mended, value)) else value
        if isinstance(value, Value):
            changes = {}
            for each in value.__struct_fields__:
                sent = getattr(value, each)
                if sent and (mended := self._mend(sent, name, each)) is not sent:
                    changes[each] = mended
            return msgspec.structs.replace(value, **changes) if changes else value
        return value

    def _mend_text(self, text: str, name: str, part: str) -> str:
        if len(text) > TITLE_LENGTH:
            self._measure(text, name)
        if _ODD.search(text):
            text = self._told(self._mended(text, name, part), name)
        if part in _URI_FIELDS and text.startswith("http") and _NO_URI.search(text):
            text = self._address(text, name, part)
        return text

    def _mended(self, text: str, name: str, part: str) -> str:
        text = self._without("chars.N007", name, text, _INVISIBLE, "")
        text = self._without("chars.E015" if name in _IDENTIFYING else "chars.E005", name, text, _PRIVATE_USE, _GETA)
        if "<" in text:
            text = self._without_markup(text, name)
        if "\u00a0" in text:
            text = self._changed("chars.N107", name, text, _BLANKS.sub(_one_blank, text))
        if not _SEVERAL_LINES & {name, part} and _LINE_BREAK.search(text):
            lines = map(str.strip, _LINE_BREAK.split(text))
            text = self._changed("chars.N012", name, text, " ".join(filter(None, lines)))
        return text

    def _told(self, text: str, name: str) -> str:
        for code, pattern in _TOLD:
            if found := pattern.findall(text):
                self._add(code, name, _listed(found, text))
        return text

    def _measure(self, text: str, name: str) -> None:
        if len(text) > (TITLE_LENGTH if name == "titles" else VALUE_LENGTH):
            self._add("chars.W013", name, str(len(text)))

    def _without(self, code: str, name: str, text: str, pattern: re.Pattern[str], instead: str) -> str:
        found = pattern.findall(text)
        if not found:
            return text
        mended = pattern.sub(instead, text) if self._mends(code) else text
        self._add(code, name, _listed(found, text), mended if mended != text else "")
        return mended

    def _without_markup(self, text: str, name: str) -> str:
        plain = strip_markup(text) or text  # what is nothing but a tag may be a title like any other
        if plain != text:
            return self._changed("chars.N010", name, text, plain)
        if has_markup(text):
            self._add("chars.I010", name, text)
        return text

    def _address(self, text: str, name: str, part: str) -> str:
        """A page's address with what a URI cannot hold percent-encoded; URIs that are names stay as they are."""
        encoded = _NO_URI.sub(lambda match: quote(match[0]), text)
        if name not in _LINKS and part not in _LINKS:
            self._add("chars.W114", name, text)
        elif self._policy.severity("chars.W014"):
            self._add("chars.W014", name, text, encoded)
            return encoded
        return text

    def _changed(self, code: str, name: str, text: str, mended: str) -> str:
        """What stands there now: the mended text where the policy asks for it."""
        if mended == text:
            return text
        mends = self._mends(code)
        self._add(code, name, text, mended if mends else "")
        return mended if mends else text

    def _mends(self, code: str) -> bool:
        return self._policy.severity(code) in _MENDING

    def _add(self, code: str, name: str, value: str, result: str = "") -> None:
        element = self._elements.get(name, name)
        issue = Issue(code=code, field=element, value=value[:_SHOWN], result=result[:_SHOWN])
        self._found.setdefault((code, element), issue)


def _one_blank(match: re.Match[str]) -> str:
    """Plain blanks are the provider's own business; with one that cannot break among them they are a broken layout."""
    return " " if "\u00a0" in match[0] else match[0]


def _listed(found: list[str], text: str) -> str:
    """What was found, each once, and where: "U+E000 (外字□です)"."""
    return f"{' '.join(dict.fromkeys(map(_shown, found[:20])))} ({text[:100]})"


def _shown(found: str) -> str:
    """A character that may be invisible, as its number."""
    return f"U+{ord(found):04X}" if len(found) == 1 else found.strip()


def has_markup(text: str) -> bool:
    return _TAG.search(text) is not None


def strip_markup(text: str) -> str:
    """The text without its tags, if it is HTML: a pair of tags, or one that needs no pair. Else the text itself."""
    opened: set[str] = set()
    closed: set[str] = set()
    for end, name in _TAG.findall(text):
        (closed if end else opened).add(name.lower())
    if not (opened & closed or opened & _EMPTY):
        return text
    return _RUN.sub(" ", _TAG.sub(_gap, text)).strip()


def _gap(tag: re.Match[str]) -> str:
    return " " if tag[2].lower() in _BLOCKS else ""
