"""What a machine calls things, as people call them: errors of the system, kinds of files. Knows no code.

Facts are stored as the machine said them and put into words where they are shown, so that old runs speak as well.
"""

import errno
import os
import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from harvesting.transports.documents import formats

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ERRORS: "dict[int, StrOrPromise]" = {
    errno.ECONNREFUSED: _("connection refused"),
    errno.ECONNRESET: _("connection broken off by the other side"),
    errno.ECONNABORTED: _("connection broken off"),
    errno.EPIPE: _("connection broken off by the other side"),
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
    errno.EACCES: _("it may not be opened"),
    errno.EPERM: _("it may not be opened"),
}
FORMATS: "dict[str, StrOrPromise]" = {
    formats.SPREADSHEET: _("a document of Excel or Word"),
    "Office": _("a document of Excel or Word"),
    "Excel (.xlsx)": _("a document of Excel or Word"),
    formats.PAGE: _("a web page (HTML)"),
    formats.JSON_ARRAY: _("JSON that is one list, not a record a line"),
    formats.PICTURE: _("a picture"),
    formats.UNKNOWN: _("no text, and no format that is known"),
    formats.EMPTY: _("empty"),
    "archive": _("an archive without a file that can be read"),
}
_NUMBERED = re.compile(r"\[Errno (\d+)\] ?[^:;()\[\]]*")  # as Python writes an OSError
_SYSTEM = {os.strerror(number): number for number in ERRORS}


def in_words(name: str, value: str | int) -> str | int:
    """A fact as people say it. name: which place of the sentence it fills."""
    if not isinstance(value, str):
        return value
    if name == "found":
        return str(FORMATS.get(value, value))
    return _NUMBERED.sub(_error, value) if "[Errno " in value else _of_system(name, value)


def _error(match: re.Match[str]) -> str:
    number = int(match[1])
    return str(ERRORS[number]) if number in ERRORS else str(_("error %(number)s of the system") % {"number": number})


def _of_system(name: str, value: str) -> str:
    return str(ERRORS[_SYSTEM[value]]) if name in {"reason", "detail"} and value in _SYSTEM else value
