"""Whether a text can stand where a format requires a URI, and web addresses with their illegal characters escaped."""

import re
from functools import lru_cache
from urllib.parse import quote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_WITHOUT_SCHEME = re.compile(r"[^:/?#]*(?:[/?#]|\Z)")
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#:@]*(?::[0-9]+)?(?=[/?#]|\Z)")
# All characters that a URI or an IRI can hold, so also letters outside ASCII; "%" only before two hexadecimal digits.
# Nothing is tried twice: the two kinds of runs begin with different characters.
_CHARACTERS = r"(?:[^\s\x00-\x20\x7f<>\"{}|\\^`\[\]%#]++|%[0-9A-Fa-f]{2})*+"
_LEGAL = re.compile(rf"{_CHARACTERS}(?:#{_CHARACTERS})?")
# What most addresses look like. One pattern tells that they are legal; the general rule takes ten times as long.
_USUAL = re.compile(r"https?://[A-Za-z0-9.-]++(?::[0-9]++)?/[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+(?:#[A-Za-z0-9._~-]*+)?")
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_ILLEGAL = re.compile(r"[\x00-\x20\x7f<>\"{}|\\^`\[\]]|%(?![0-9A-Fa-f]{2})|(?<=#)#+")


@lru_cache(maxsize=4096)
def is_uri(text: str) -> bool:
    """Whether the text is an absolute or relative URI reference (anyURI), with letters outside ASCII or without."""
    return _USUAL.fullmatch(text) is not None or _is_reference(text)


def _is_reference(text: str) -> bool:
    if not text or not _LEGAL.fullmatch(text):
        return False
    if not _SCHEME.match(text) and not _WITHOUT_SCHEME.match(text):
        return False
    start = text.find("//")
    begins_authority = start == 0 or (start > 0 and _SCHEME.fullmatch(text[:start]) is not None)
    return not begins_authority or _AUTHORITY.match(text) is not None


def as_uri(text: str) -> str:
    """Return the text if it is a URI, a web address with its illegal characters escaped, or "" for other text."""
    if is_uri(text):
        return text
    if not _WEB.match(text):
        return ""
    escaped = _ILLEGAL.sub(lambda match: quote(match[0], safe=""), text)
    return escaped if is_uri(escaped) else ""
