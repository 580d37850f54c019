"""Secrets out of texts that leave the program: log lines, reports of errors. Pure; knows shapes, and what it is told.

Two nets: what looks like a secret (a password in an address, a header that carries one, `password=…`), and the very
values that this process has used, however they are written.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import quote

HIDDEN = "[…]"
SHORTEST = 6  # characters; a shorter value would blank out half of every line
MOST = 2000  # values remembered; then the one that was used longest ago is forgotten
_NAMES = (
    r"(?:[A-Za-z0-9]+[_-])*(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|credentials?"
    r"|signature|sessionid|csrftoken|csrfmiddlewaretoken)"
)
_SHAPES = (
    # //user:password@host; the user name may be an account as well
    (re.compile(r"(?<=://)[^\s/?#@'\"<>]+(?=@)"), HIDDEN),
    # Authorization: Basic …, "Cookie": "…"
    (
        re.compile(
            r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)\b(['\"]?\s*[:=]\s*['\"]?)"
            r"(?:(?:basic|bearer|digest|token)\s+)?[^'\"\r\n]+"
        ),
        rf"\1\2{HIDDEN}",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/_=.~-]{8,}"), rf"\1 {HIDDEN}"),
    # resumptionToken is no secret, and names a place in a list
    (re.compile(rf"(?i)\b(?!resumptionToken)({_NAMES})(['\"]?\s*[:=]\s*['\"]?)([^\s'\"&;,)\]}}]+)"), rf"\1\2{HIDDEN}"),
)
_known: OrderedDict[str, None] = OrderedDict()
_lock = threading.Lock()


def remember(values: Iterable[str]) -> None:
    """Values that must never be told, from now on."""
    with _lock:
        for value in values:
            if len(value) < SHORTEST:
                continue
            for form in {value, quote(value, safe=""), value.encode("unicode_escape").decode()}:
                _known[form] = None
                _known.move_to_end(form)
        while len(_known) > MOST:
            _known.popitem(last=False)


def redact(text: str) -> str:
    """The text without what is, or looks like, a secret."""
    with _lock:
        known = [value for value in _known if value in text]
    for value in sorted(known, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    for shape, instead in _SHAPES:
        text = shape.sub(instead, text)
    return text
