"""What is said about an address as a whole: its host, its pattern, its key. Pure.

Addresses of one pattern are made in the same way, for example by one link template, so they live and die together.
"""

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import parse_qsl, urlsplit

LONGEST_PATTERN = 300  # characters
MOST_NAMES = 12  # parameters of a query that are part of a pattern
LONGEST_WORD = 40  # characters of a part of a path; a longer one is a value
_DIGIT = re.compile("[0-9]")
_ANY = "*"


def host_of(url: str) -> str:
    """Return the host in lower case, with its port if that is unusual; "" for what is not the address of a web page."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not host or len(host) > 253:
        return ""
    name = f"[{host}]" if ":" in host else host
    return name if port in (None, {"http": 80, "https": 443}[parts.scheme]) else f"{name}:{port}"


@lru_cache(maxsize=4096)
def pattern_of(url: str) -> str:
    """Return the host and path of an address and the names in its query, with * for what looks like a value."""
    host = host_of(url)
    if not host:
        return ""
    parts = urlsplit(url)
    *folders, last = parts.path.split("/")[1:] or [""]
    words = [*map(_word, folders), _word(last) if parts.query else last and _ANY]
    try:
        names = sorted({name for name, _value in parse_qsl(parts.query, keep_blank_values=True)})[:MOST_NAMES]
    except ValueError:
        names = [_ANY]
    query = f"?{'&'.join(names)}" if parts.query else ""
    return f"{host}/{'/'.join(words)}{query}"[:LONGEST_PATTERN]


def key_of(text: str) -> int:
    """Return a number for an address or a pattern that is the same in all processes and fits a column."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _word(part: str) -> str:
    return _ANY if _DIGIT.search(part) or len(part) > LONGEST_WORD else part
