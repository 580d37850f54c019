"""Recognises the format of a file by its content, never by its name. Pure functions."""

import codecs
import re

from harvesting.types import TransportError

INSPECTED_BYTES = 64 * 1024

XML, JSON_LINES, MARC, TABLE = "xml", "json", "marc", "table"
# Formats that cannot be harvested but are recognised, so that the message can name them.
SPREADSHEET, PAGE, JSON_ARRAY, PDF, UNKNOWN, EMPTY = "spreadsheet", "HTML", "JSON array", "PDF", "unknown", "empty"
PICTURE = "picture"
READABLE = frozenset({XML, JSON_LINES, MARC, TABLE})

BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Leader of ISO 2709: length, status, type …, indicator and subfield counts "22", base address; blanks where missing.
_LEADER = re.compile(rb"\s*[0-9 ]{5}[A-Za-z ].{4}[0-9 |]{2}[0-9 ]{5}", re.DOTALL)
_HTML = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
# C0 control characters that do not occur in text: all but those for layout, encoding switches and field separators.
_BINARY_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x19]")
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def detect(start: bytes) -> str:
    """Return the format of a file with these first bytes: one of READABLE, or the name of another format."""
    if not start.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        return EMPTY
    for magic, name in ((_OLE2, SPREADSHEET), (b"%PDF", PDF), (_PICTURES, PICTURE)):
        if start.startswith(magic):
            return name
    if _LEADER.match(start) and (b"\x1e" in start or b"\x1f" in start):
        return MARC
    return _detect_text(start_as_text(start))


def not_readable(file: str, found: str) -> TransportError:
    """The error for a file of a format that cannot be harvested."""
    return TransportError(f"cannot read {found}", "file.not_readable", permanent=True, file=file, found=found)


def _detect_text(text: str) -> str:
    if text.startswith("<"):
        return PAGE if _HTML.match(text) else XML
    if text.startswith(("{", "[")):
        return JSON_LINES if text[0] == "{" else JSON_ARRAY
    if "<html" in text[:2000].lower():
        return PAGE
    return (
        UNKNOWN if len(_BINARY_CHARACTERS.findall(text)) > 3 + len(text) // 50 else TABLE
    )  # a few stray control characters are tolerated


def start_as_text(start: bytes) -> str:
    """Return the start of a file as text without leading white space, good enough for inspection only."""
    encoding = next((name for bom, name in BOMS.items() if start.startswith(bom)), "")
    if not encoding and start[:2] in {b"<\0", b"\0<"}:
        encoding = "utf-16-le" if start[:1] == b"<" else "utf-16-be"
    return start.decode(encoding or "utf-8", "replace").lstrip()
