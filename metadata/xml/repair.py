"""Repairs characters that make XML unreadable: wrong encodings, illegal characters, lone surrogates. Pure.

Only for documents that strict parsing has refused. Independent of the formats: the caller reports the changes and
parses the result strictly again. Linear in time; gives up after MAX_REPAIRS changes.
"""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from metadata.xml.encodings import has_shifts, is_japanese

REMOVED, REPLACED, JOINED = "xml.W001", "xml.W002", "xml.W003"
LOSSY = frozenset({REPLACED})  # repairs by which text was lost, so that an undamaged version is preferable
MAX_REPAIRS = 20_000  # of one document; beyond that it is not a document with a few bad characters
FEW_BYTES = 16  # up to this number of bad bytes in a document may be slips in an otherwise correct encoding

# Python's codecs for names under which providers send a wider encoding: Windows' kanji under the name of Shift_JIS.
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
_ESCAPED = "[\udc80-\udcff]+"  # bytes that are not text, as the error handler "surrogateescape" represents them
_ILLEGAL = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML 1.0 section 2.2
_REFERENCE = re.compile("&#(?:x([0-9a-fA-F]{1,12})|([0-9]{1,12}));")
_SHIFTED = "\x1b\\$[@B][^\x1b]{0,2000}\x1b\\([BJ]"  # kanji in ISO-2022-JP
_SUSPECT = re.compile(f"(?P<shifted>{_SHIFTED})|(?P<bytes>{_ESCAPED})|(?P<raw>{_ILLEGAL})|{_REFERENCE.pattern}")
_BAD_BYTE = re.compile("[\udc80-\udcff]")
_CESU8 = re.compile("(?:\udced[\udca0-\udcbf][\udc80-\udcbf])+")  # repaired without loss, see `_from_bytes`


class Text(NamedTuple):
    """A decoded document. text: undecodable bytes are represented as by "surrogateescape".

    doubtful: most of the non-ASCII part is such bytes, and either there are many of them or they are text in a Japanese
    encoding; or the document is text in ISO-2022-JP. The document is then in another encoding, and repairing it would
    destroy its text.
    """

    text: str
    encoding: str
    doubtful: bool = False


class Repair(NamedTuple):
    """One change. position: offset in `Mended.data` in bytes; code: rule code; found: what was there before."""

    position: int
    code: str
    found: str


class Mended(NamedTuple):
    """A document in UTF-8 with only legal characters, and the changes that were needed."""

    data: bytes
    repairs: tuple[Repair, ...]


def decode(data: bytes, override: str = "", charset: str = "") -> Text:
    """Decode a document. override: the encoding set by a person, decisive; charset: the one in the HTTP header.

    Without an override the document's own declaration counts (UTF-8 if it has none). The HTTP header is used only if
    most of the non-ASCII part does not fit the declaration.
    """
    own = declared_encoding(data)
    for name in filter(None, (override, own)):
        if (text := _decoded(data, name, "strict")) is not None:
            return Text(text, name, "\x1b" in text and has_shifts(data))
    name = override or own
    text = _decoded(data, name, "surrogateescape") or data.decode("utf-8", "surrogateescape")
    bad_bytes = _bad_bytes(text)
    is_mostly_wrong = bad_bytes > _other_characters(text)
    if charset and not override and is_mostly_wrong:
        other = _decoded(data, charset, "strict")
        if other is not None:
            return Text(other, charset)
    doubtful = is_mostly_wrong and (bad_bytes > FEW_BYTES or is_japanese(data))
    return Text(text, name, doubtful)


def declared_encoding(data: bytes) -> str:
    """Return the encoding by the byte order mark or the XML declaration; "utf-8" if there is neither."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    match = _DECLARED.search(data, 0, 4_000)
    return match.group(1).decode("ascii") if match else "utf-8"


def mend(text: str) -> Mended | None:
    """Return the text with only legal characters; None if that takes more than MAX_REPAIRS changes.

    Illegal characters and references to them are removed, bytes that are not text and kanji in ISO-2022-JP become
    U+FFFD, and the two halves of a surrogate pair become one character.
    """
    data = bytearray()
    repairs: list[Repair] = []
    last = 0
    for start, end, code, found, replacement in _changes(text):
        data += text[last:start].encode()
        repairs.append(Repair(len(data), code, found))
        data += replacement.encode()
        last = end
        if len(repairs) > MAX_REPAIRS:
            return None
    data += text[last:].encode()
    return Mended(bytes(data), tuple(repairs))


def _changes(text: str) -> Iterator[tuple[int, int, str, str, str]]:
    """Yield the needed changes as (start, end, rule code, what was found, its replacement)."""
    last = 0
    for match in _SUSPECT.finditer(text):
        start, end = match.span()
        if start < last:
            continue  # the second half of a pair
        if match.lastgroup == "bytes":
            last = end
            yield start, end, *_from_bytes(match.group())
        elif match.lastgroup == "shifted":
            last = end
            yield start, end, REPLACED, "ISO-2022-JP", "\ufffd"
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
    """Return rule code, description and replacement of undecodable bytes.

    Surrogates that were encoded one by one (CESU-8) are joined.
    """
    raw = escaped.encode("utf-8", "surrogateescape")
    found = " ".join(f"0x{byte:02X}" for byte in raw[:8])
    try:
        halves = raw.decode("utf-8", "surrogatepass")
        return JOINED, found, halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return REPLACED, found, raw.decode("utf-8", "replace").encode("utf-8", "replace").decode()


def _decoded(data: bytes, name: str, errors: str) -> str | None:
    """Decode; None if the bytes do not fit the encoding, or Python does not know it."""
    codec = _CODECS.get(name.lower(), name)
    if errors == "surrogateescape" and codec.lower().startswith(("utf-16", "utf-32")):
        errors = "replace"
    try:
        return data.decode(codec, errors).removeprefix("\ufeff")
    except (UnicodeError, LookupError):
        return None


def _bad_bytes(text: str) -> int:
    """How many bytes could not be decoded and cannot be repaired without loss."""
    return len(_BAD_BYTE.findall(_CESU8.sub("", text)))


def _other_characters(text: str) -> int:
    """How many characters outside ASCII could be decoded."""
    return len(text) - len(text.encode("ascii", "ignore")) - len(_BAD_BYTE.findall(text))


def _point(reference: re.Match[str]) -> int:
    hexadecimal, decimal = reference.group(reference.re.groups - 1), reference.group(reference.re.groups)
    return int(hexadecimal, 16) if hexadecimal else int(decimal)


def _is_legal(point: int) -> bool:
    return point in {0x9, 0xA, 0xD} or 0x20 <= point < 0xD800 or 0xE000 <= point < 0xFFFE or 0x10000 <= point < 0x110000
