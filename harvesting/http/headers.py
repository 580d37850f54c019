"""Reads response headers and compares them with the body. Pure functions.

Contradictions become observations and do not stop the harvest; the body is believed, not the header.
"""

import codecs
import re
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from harvesting.types import Observation

MAX_RETRY_AFTER = 24 * 60 * 60
GZIP_TYPES = frozenset({"application/gzip", "application/x-gzip", "application/x-gunzip", "application/x-tgz"})
GZIP_NAMES = (".gz", ".tgz")
XML_STARTS = (b"<?xml", b"\xef\xbb\xbf<?xml")
# These types say nothing about the content, so they cannot contradict it.
GENERIC_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)
_DECLARED = re.compile(rb"^(?:\xef\xbb\xbf)?<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z][\w.-]{0,40})[\"']")


def retry_after(value: str) -> int:
    """Return the seconds that a Retry-After header (seconds or HTTP date) asks for, at least 1; 0 if unusable."""
    value = value.strip()
    try:
        seconds = float(value) if value[:1].isdigit() else parsedate_to_datetime(value).timestamp() - time.time()
        return round(min(max(seconds, 1), MAX_RETRY_AFTER))
    except (ValueError, OverflowError):
        return 0


def media_type(content_type: str) -> str:
    """Return the media type in lower case: "text/xml" for "Text/XML; charset=utf-8"."""
    return content_type.partition(";")[0].strip().lower()


def charset(content_type: str) -> str:
    """Return the charset parameter as sent, "" without one.

    XML parsers give precedence to the document (RFC 7303, section 3).
    """
    match = _CHARSET.search(content_type)
    return match[1] if match else ""


def content_length(value: str) -> int:
    """Return the number, -1 if the header is missing or not a number."""
    value = value.strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else -1


def is_gzip_file(url: str, headers: Mapping[str, str]) -> bool:
    """Whether the resource itself is a gzip file, not another resource compressed for transfer."""
    if urlsplit(url).path.lower().endswith(GZIP_NAMES):
        return True
    return media_type(headers.get("content-type", "")) in GZIP_TYPES and not headers.get("content-encoding", "")


def header_observations(
    url: str, headers: Mapping[str, str], encoding_found: str, start: bytes
) -> Iterator[Observation]:
    """Observations of headers that contradict the body.

    encoding_found: the encoding that the body really had. start: the first bytes of the decoded body.
    """
    declared = headers.get("content-encoding", "").strip().lower().removeprefix("x-")
    if declared in {"", "gzip", "deflate", "identity"} and declared.replace("identity", "") != encoding_found:
        yield _observation("net.gzip_lie", url, declared or "-", encoding_found or "-")
    content_type = headers.get("content-type", "")
    if not start.startswith(XML_STARTS):
        return
    kind = media_type(content_type)
    if kind not in GENERIC_TYPES and not kind.endswith(("/xml", "+xml")):
        yield _observation("http.content_type", url, kind[:100], "XML")
    declared_charset = _declared_encoding(start)
    if charset(content_type) and not _same_charset(charset(content_type), declared_charset):
        yield _observation("http.charset", url, charset(content_type)[:40], declared_charset)


def _declared_encoding(start: bytes) -> str:
    match = _DECLARED.match(start)
    return match[1].decode("ascii") if match else "UTF-8"


def _same_charset(one: str, other: str) -> bool:
    try:
        return codecs.lookup(one).name == codecs.lookup(other).name
    except LookupError:
        return one.lower() == other.lower()


def _observation(code: str, url: str, declared: str, found: str) -> Observation:
    return Observation(code=code, facts={"url": url[:500], "declared": declared, "found": found})
