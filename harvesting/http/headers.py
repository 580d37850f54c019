"""What the headers of a response say, and whether its body agrees. Pure.

Findings that stop nothing become Notices; the body is believed, not the header.
"""

import codecs
import re
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from harvesting.types import Observation

LONGEST_RETRY_AFTER = 24 * 60 * 60
GZIP_TYPES = frozenset({"application/gzip", "application/x-gzip", "application/x-gunzip", "application/x-tgz"})
GZIP_NAMES = (".gz", ".tgz")
XML_STARTS = (b"<?xml", b"\xef\xbb\xbf<?xml")
# These say nothing of the content, so they cannot be wrong about it.
SILENT_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)
_DECLARED = re.compile(rb"^(?:\xef\xbb\xbf)?<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z][\w.-]{0,40})[\"']")


def retry_after(value: str) -> int:
    """Seconds that a Retry-After header asks for (seconds or HTTP date), at least 1; 0 without a usable one."""
    value = value.strip()
    try:
        seconds = float(value) if value[:1].isdigit() else parsedate_to_datetime(value).timestamp() - time.time()
        return round(min(max(seconds, 1), LONGEST_RETRY_AFTER))
    except (ValueError, OverflowError):
        return 0


def media_type(content_type: str) -> str:
    """ "text/xml" of "Text/XML; charset=utf-8"."""
    return content_type.partition(";")[0].strip().lower()


def charset(content_type: str) -> str:
    """The charset parameter as sent, "" without one. XML parsers go by the document first (RFC 7303, section 3)."""
    found = _CHARSET.search(content_type)
    return found[1] if found else ""


def content_length(value: str) -> int:
    """-1 if it is not given or no number."""
    value = value.strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else -1


def is_gzip_file(url: str, headers: Mapping[str, str]) -> bool:
    """Whether the resource is a gzip file, and not something else compressed on the way."""
    if urlsplit(url).path.lower().endswith(GZIP_NAMES):
        return True
    return media_type(headers.get("content-type", "")) in GZIP_TYPES and not headers.get("content-encoding", "")


def content_notices(url: str, headers: Mapping[str, str], found: str, start: bytes) -> Iterator[Observation]:
    """What the headers say wrongly. found: the encoding that the body had; start: of the decoded body."""
    declared = headers.get("content-encoding", "").strip().lower().removeprefix("x-")
    if declared in {"", "gzip", "deflate", "identity"} and declared.replace("identity", "") != found:
        yield _notice("net.gzip_lie", url, declared or "-", found or "-")
    content_type = headers.get("content-type", "")
    if not start.startswith(XML_STARTS):
        return
    kind = media_type(content_type)
    if kind not in SILENT_TYPES and not kind.endswith(("/xml", "+xml")):
        yield _notice("http.content_type", url, kind[:100], "XML")
    written = _declared_encoding(start)
    if charset(content_type) and not _same_charset(charset(content_type), written):
        yield _notice("http.charset", url, charset(content_type)[:40], written)


def _declared_encoding(start: bytes) -> str:
    found = _DECLARED.match(start)
    return found[1].decode("ascii") if found else "UTF-8"


def _same_charset(one: str, other: str) -> bool:
    try:
        return codecs.lookup(one).name == codecs.lookup(other).name
    except LookupError:
        return one.lower() == other.lower()


def _notice(code: str, url: str, declared: str, found: str) -> Observation:
    return Observation(code=code, facts={"url": url[:500], "declared": declared, "found": found})
