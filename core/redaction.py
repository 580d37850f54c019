"""Removes secrets from texts that leave the program: log lines, error reports. Pure.

Two methods: patterns of what looks like a secret (a password in a URL, a header that carries one, `password=…`), and
the exact values that this process has used (`remember`), also percent-encoded or escaped.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import quote

HIDDEN = "[…]"
MIN_LENGTH = 6  # characters; a shorter value would occur in many harmless words
MAX_VALUES = 2000  # values remembered; beyond that, the least recently used is forgotten
_NAMES = (
    r"(?:[A-Za-z0-9]+[_-])*(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|credentials?"
    r"|signature|sessionid|csrftoken|csrfmiddlewaretoken)"
)
_PATTERNS = (
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
    # resumptionToken is not a secret, and helps to find the place in a list
    (re.compile(rf"(?i)\b(?!resumptionToken)({_NAMES})(['\"]?\s*[:=]\s*['\"]?)([^\s'\"&;,)\]}}]+)"), rf"\1\2{HIDDEN}"),
)
_known: OrderedDict[str, None] = OrderedDict()
_lock = threading.Lock()


def remember(values: Iterable[str]) -> None:
    """Remember these secrets: from now on they are removed from every text that is redacted."""
    with _lock:
        for value in values:
            if len(value) < MIN_LENGTH:
                continue
            for form in {value, quote(value, safe=""), value.encode("unicode_escape").decode()}:
                _known[form] = None
                _known.move_to_end(form)
        while len(_known) > MAX_VALUES:
            _known.popitem(last=False)


def redact(text: str) -> str:
    """Return the text with everything that is, or looks like, a secret replaced by HIDDEN."""
    with _lock:
        known = [value for value in _known if value in text]
    for value in sorted(known, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
