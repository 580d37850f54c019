"""Characters that make XML unreadable, found and mended: wrong encodings, illegal characters, half surrogates. Pure.

For documents that strict parsing has refused, never for others. Knows no format: whoever calls it says what was
changed, and parses the result strictly again. Linear in time; gives up on a document that is all damage.
"""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

REMOVED, REPLACED, JOINED = "xml.W001", "xml.W002", "xml.W003"
MOST_REPAIRS = 20_000  # of one document: more is no document with a few bad characters

# Python's names where the usual ones are narrower than what is sent: Windows' kanji under the name of Shift_JIS.
_CODECS = {
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "ms_kanji": "cp932",
    "windows-31j": "cp932",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)
_DECLARED = re.compile(rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z][\w.:-]*)")
_ESCAPED = "[\udc80-\udcff]+"  # bytes that are no text, as the error handler "surrogateescape" leaves them
_ILLEGAL = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML 1.0 section 2.2
_REFERENCE = re.compile("&#(?:x([0-9a-fA-F]{1,12})|([0-9]{1,12}));")
_SUSPECT = re.compile(f"(?P<bytes>{_ESCAPED})|(?P<raw>{_ILLEGAL})|{_REFERENCE.pattern}")
_BAD_BYTE = re.compile("[\udc80-\udcff]")


class Text(NamedTuple):
    """A decoded document. text: bytes that fit no character stand in it as "surrogateescape" leaves them.

    doubtful: most of what is not ASCII is such bytes: it is probably another encoding.
    """

    text: str
    encoding: str
    doubtful: bool = False


class Repair(NamedTuple):
    """One change. position: its first byte in `Mended.data`; code: of the rules; found: what stood there."""

    position: int
    code: str
    found: str


class Mended(NamedTuple):
    """A document in UTF-8 whose characters are all legal, and what was changed for that."""

    data: bytes
    repairs: tuple[Repair, ...]


def decode(data: bytes, override: str = "", charset: str = "") -> Text:
    """The document as text. override: what a person knows it to be, decisive; charset: what HTTP says of it.

    Without an override the document's own declaration counts (UTF-8 if it has none). HTTP is asked only where
    most of what is not ASCII does not fit the declaration.
    """
    own = declared_encoding(data)
    for name in filter(None, (override, own)):
        if (text := _decoded(data, name, "strict")) is not None:
            return Text(text, name)
    name = override or own
    text = _decoded(data, name, "surrogateescape") or data.decode("utf-8", "surrogateescape")
    doubtful = _is_mostly_wrong(text)
    if charset and not override and doubtful:
        other = _decoded(data, charset, "strict")
        if other is not None:
            return Text(other, charset)
    return Text(text, name, doubtful)


def declared_encoding(data: bytes) -> str:
    """By the byte order mark or the XML declaration; "utf-8" where neither tells."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    found = _DECLARED.search(data, 0, 4_000)
    return found.group(1).decode("ascii") if found else "utf-8"


def mend(text: str) -> Mended | None:
    """The text without what XML forbids: illegal characters and references to them are left out, bytes that are
    no text become U+FFFD, the two halves of a surrogate pair one character. None if there is too much of it.
    """
    data = bytearray()
    repairs: list[Repair] = []
    last = 0
    for start, end, code, found, instead in _changes(text):
        data += text[last:start].encode()
        repairs.append(Repair(len(data), code, found))
        data += instead.encode()
        last = end
        if len(repairs) > MOST_REPAIRS:
            return None
    data += text[last:].encode()
    return Mended(bytes(data), tuple(repairs))


def _changes(text: str) -> Iterator[tuple[int, int, str, str, str]]:
    """start, end, code, what was found, what stands there instead."""
    last = 0
    for match in _SUSPECT.finditer(text):
        start, end = match.span()
        if start < last:
            continue  # the second half of a pair
        if match.lastgroup == "bytes":
            last = end
            yield start, end, *_from_bytes(match.group())
        elif match.lastgroup == "raw":
            last = end
            yield start, end, REMOVED, f"U+{ord(match.group()):04X}", ""
        elif not _is_legal(point := _point(match)):
            partner = _REFERENCE.match(text, end) if 0xD800 <= point < 0xDC00 else None
            low = _point(partner) if partner else 0
            if partner and 0xDC00 <= low < 0xE000:
                last = partner.end()
                joined = chr(0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00))
                yield start, last, JOINED, f"{match.group()}{partner.group()}", joined
            else:
                last = end
                yield start, end, REMOVED, match.group(), ""


def _from_bytes(escaped: str) -> tuple[str, str, str]:
    """Bytes outside UTF-8; pairs of surrogates that were encoded one by one (CESU-8) can be understood."""
    raw = escaped.encode("utf-8", "surrogateescape")
    found = " ".join(f"0x{byte:02X}" for byte in raw[:8])
    try:
        halves = raw.decode("utf-8", "surrogatepass")
        return JOINED, found, halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return REPLACED, found, raw.decode("utf-8", "replace").encode("utf-8", "replace").decode()


def _decoded(data: bytes, name: str, errors: str) -> str | None:
    """None if the bytes do not fit, or nobody knows such an encoding."""
    codec = _CODECS.get(name.lower(), name)
    if errors == "surrogateescape" and codec.lower().startswith(("utf-16", "utf-32")):
        errors = "replace"
    try:
        return data.decode(codec, errors).removeprefix("\ufeff")
    except (UnicodeError, LookupError):
        return None


def _is_mostly_wrong(text: str) -> bool:
    bad = len(_BAD_BYTE.findall(text))
    return bad > len(text) - len(text.encode("ascii", "ignore")) - bad


def _point(reference: re.Match[str]) -> int:
    hexadecimal, decimal = reference.group(reference.re.groups - 1), reference.group(reference.re.groups)
    return int(hexadecimal, 16) if hexadecimal else int(decimal)


def _is_legal(point: int) -> bool:
    return point in {0x9, 0xA, 0xD} or 0x20 <= point < 0xD800 or 0xE000 <= point < 0xFFFE or 0x10000 <= point < 0x110000
