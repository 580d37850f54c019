"""Words for the technical values that fill messages: system errors, error codes, kinds of files, places in files.

Facts are stored as they occurred and are put into words when they are shown, so that old runs get better words, too.
"""

import errno
import os
import re
from collections import ChainMap

from django.utils.translation import gettext

from harvesting.texts import _
from harvesting.transports.documents import formats
from harvesting.transports.registry import TRANSPORTS

ERRORS: dict[int, str] = {
    errno.ECONNREFUSED: _("connection refused"),
    errno.ECONNRESET: _("connection closed by the other server"),
    errno.ECONNABORTED: _("connection aborted"),
    errno.EPIPE: _("connection closed by the other server"),
    errno.ETIMEDOUT: _("no answer in time"),
    errno.EHOSTUNREACH: _("the server cannot be reached"),
    errno.EHOSTDOWN: _("the server cannot be reached"),
    errno.ENETUNREACH: _("the network cannot be reached"),
    errno.ENETDOWN: _("the network cannot be reached"),
    errno.EADDRNOTAVAIL: _("the network cannot be reached"),
    errno.EMFILE: _("too many open files"),
    errno.ENFILE: _("too many open files"),
    errno.ENOSPC: _("the disk is full"),
    errno.EIO: _("the disk cannot be read or written"),
    errno.ENOENT: _("there is no such file"),
    errno.ENOTDIR: _("there is no such file"),
    errno.ENAMETOOLONG: _("the name is too long"),
    errno.EACCES: _("permission denied"),
    errno.EPERM: _("permission denied"),
}
FORMATS: dict[str, str] = {
    formats.SPREADSHEET: _("an Excel or Word document"),
    "Office": _("an Excel or Word document"),
    "Excel (.xlsx)": _("an Excel or Word document"),
    formats.PAGE: _("a web page (HTML)"),
    formats.JSON_ARRAY: _("JSON as one array, not one record per line"),
    formats.PICTURE: _("an image"),
    formats.UNKNOWN: _("neither text nor a known format"),
    formats.EMPTY: _("empty"),
    "archive": _("an archive without a readable file"),
}
# Codes of errors that are the reason of another message: the code, or its family. Those of a transport are in its folder.
CODES: dict[str, str] = {
    "archive": _("the archive cannot be read"),
    "net": _("the connection failed"),
    "net.timeout": _("no answer in time"),
    "net.truncated": _("the response was cut off"),
    "xml": _("not well-formed XML"),
}
PLACES: dict[str, str] = {
    "after": _("after it"),
    "before": _("before it"),
    "byte": _("byte %(number)s"),
    "line": _("line %(number)s"),
}
_CODE = re.compile(r"([a-z]+)\.(\w+)")
_PLACE = re.compile(r"([a-z]+)(?: (\d+))?")
_NUMBERED = re.compile(r"\[Errno (\d+)\] ?[^:;()\[\]]*")  # as Python writes an OSError
_SYSTEM = {os.strerror(number): number for number in ERRORS}


def in_words(name: str, value: str | int) -> str | int:
    """Return a fact in the active language. name: the placeholder that it fills."""
    if not isinstance(value, str):
        return value
    if name == "found":
        return gettext(FORMATS[value]) if value in FORMATS else value
    if name == "place" and (place := _PLACE.fullmatch(value)) and place[1] in PLACES:
        return gettext(PLACES[place[1]]) % {"number": place[2]}
    if name in {"reason", "why"} and (code := _CODE.fullmatch(value)):
        return _of_code(code)
    return _NUMBERED.sub(_error, value) if "[Errno " in value else _of_system(name, value)


def _of_code(code: re.Match[str]) -> str:
    if code[1] == "http" and code[2].isdecimal():
        return f"HTTP {code[2]}"
    known = ChainMap(CODES, *(kind.words for kind in TRANSPORTS.values()))
    text = known.get(code[0]) or known.get(code[1])
    return gettext(text) if text else code[0]


def _error(match: re.Match[str]) -> str:
    number = int(match[1])
    return gettext(ERRORS[number]) if number in ERRORS else gettext("system error %(number)s") % {"number": number}


def _of_system(name: str, value: str) -> str:
    return gettext(ERRORS[_SYSTEM[value]]) if name in {"reason", "detail"} and value in _SYSTEM else value
