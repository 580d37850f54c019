"""What a file is, told by its content and never by its name. Pure."""

import codecs
import re

LOOKED_AT = 64 * 1024

XML, JSON_LINES, MARC, TABLE = "xml", "json", "marc", "table"
# What is recognised and cannot be harvested, and so can be named in the message.
SPREADSHEET, PAGE, JSON_ARRAY, PDF, UNKNOWN, EMPTY = "spreadsheet", "HTML", "JSON array", "PDF", "unknown", "empty"
PICTURE = "picture"
READABLE = frozenset({XML, JSON_LINES, MARC, TABLE})

BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Leader of ISO 2709: length, status, type … indicator and subfield counts "22", base address; blanks for missing.
_LEADER = re.compile(rb"\s*[0-9 ]{5}[A-Za-z ].{4}[0-9 |]{2}[0-9 ]{5}", re.DOTALL)
_HTML = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
# Characters that no text has: of C0 all but those that lay text out, switch its encoding, or separate fields.
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x19]")
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def detect(start: bytes) -> str:
    """The format of a file that begins so; one of READABLE, or a word for what it is."""
    if not start.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        return EMPTY
    for magic, name in ((_OLE2, SPREADSHEET), (b"%PDF", PDF), (_PICTURES, PICTURE)):
        if start.startswith(magic):
            return name
    if _LEADER.match(start) and (b"\x1e" in start or b"\x1f" in start):
        return MARC
    return _detect_text(readable_start(start))


def _detect_text(text: str) -> str:
    if text.startswith("<"):
        return PAGE if _HTML.match(text) else XML
    if text.startswith(("{", "[")):
        return JSON_LINES if text[0] == "{" else JSON_ARRAY
    if "<html" in text[:2000].lower():
        return PAGE
    return UNKNOWN if len(_NO_TEXT.findall(text)) > 3 + len(text) // 50 else TABLE  # a stray one makes no binary file


def readable_start(start: bytes) -> str:
    """The beginning as text without blanks, for looking at only."""
    encoding = next((name for bom, name in BOMS.items() if start.startswith(bom)), "")
    if not encoding and start[:2] in {b"<\0", b"\0<"}:
        encoding = "utf-16-le" if start[:1] == b"<" else "utf-16-be"
    return start.decode(encoding or "utf-8", "replace").lstrip()
