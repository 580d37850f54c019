"""On-disk cache of book pages for readers without a session. Works on requests; independent of the pages' content.

A cached page is valid as long as the tag of the book (`aggregator.catalogue.etags`) is the same, for one language and
language prefix, and for this code and these settings. It is dropped at the end of the week, because it also shows
things whose changes do not change the tag. Citations print today's date; it is filled in when the page is served. Only
pages that did not use the session, set no cookie and contain no CSRF token are cached.
"""

import hashlib
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import django
import zstandard
from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from aggregator.catalogue.etags import PageTag, page_tag
from aggregator.middleware.language_prefix import START

CACHE = "pages"  # in settings.CACHES
WEEK = 7 * 24 * 60 * 60  # seconds
LEVEL = 3
MAX_SIZE = 4 * 1024 * 1024  # bytes of a page; a larger one is not cached
_CODE = ("aggregator", "core", "harvesting", "metadata", "templates", "locale")
_SUFFIXES = {".py", ".html", ".mo", ".json", ".toml"}
# Placeholder for today's date in a page: a noncharacter, which no text contains (Unicode, chapter 23.7).
TODAY = "\ufdd0"
_SETTINGS = ("PUBLIC_URL", "SITE_OPERATOR", "SITE_CONTACT", "TIME_ZONE", "LANGUAGES", "AVAILABILITY_MINUTES")


class _Kind(NamedTuple):
    """The pages that share a sample page (see `_Sample`).

    name: their language, followed by the language prefix of their address. version: of the code and settings, and the
    week.
    """

    name: str
    version: str


def get_or_make(request: HttpRequest, public_id: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the book page from the cache, or from `make`. Costs at most two queries more than `make`."""
    today = timezone.localdate().isoformat()
    book = None if has_session(request) or settings.DEBUG else page_tag(public_id)
    if book is None:
        return _dated(make(), today)
    kind = _Kind(f"{get_language()}{request.META.get(START, '')}", _version())
    content = _load(kind, book)
    if content is None:
        response = make()
        if not is_for_everybody(request, response, MAX_SIZE):
            return _dated(response, today)
        _store(kind, book, response.content)
    else:
        response = HttpResponse(content)
    response["ETag"] = f'W/"{_digest(book, f"{kind.name} {kind.version} {today}".encode()).hex()}"'
    return _dated(response, today)


def _dated(response: HttpResponse, today: str) -> HttpResponse:
    response.content = response.content.replace(TODAY.encode(), today.encode())
    return response


def has_session(request: HttpRequest) -> bool:
    """Return whether the reader has a session: then a page may contain personal parts."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES


def is_for_everybody(request: HttpRequest, response: HttpResponse, most: int) -> bool:
    """Return whether the response may be served to other readers. most: its largest size in bytes."""
    personal = response.cookies or request.META.get("CSRF_COOKIE_NEEDS_UPDATE") or request.session.accessed
    return response.status_code == 200 and not personal and len(response.content) <= most


def _load(kind: _Kind, book: PageTag) -> bytes | None:
    sample = _sample(kind)
    packed = caches[CACHE].get(_key(kind, book, sample)) if sample else None
    return sample.unpack(packed) if sample and packed else None


def _store(kind: _Kind, book: PageTag, content: bytes) -> None:
    if _sample(kind) is None:
        caches[CACHE].add(_sample_key(kind), content, WEEK)
    if sample := _sample(kind):
        caches[CACHE].set(_key(kind, book, sample), sample.pack(content), WEEK)


def _key(kind: _Kind, book: PageTag, sample: "_Sample") -> str:
    return f"{kind.name}-{kind.version}-{book.number}-{_digest(book, sample.name).hex()}"


def _sample_key(kind: _Kind) -> str:
    return f"sample-{kind.name}-{kind.version}"


def _digest(book: PageTag, context: bytes) -> bytes:
    return hashlib.blake2b(book.tag + context, digest_size=12).digest()


class _Sample:
    """A page used as compression dictionary for all pages of its kind, which share most of its text.

    name: a digest of the page.
    """

    def __init__(self, content: bytes) -> None:
        self.name = hashlib.blake2b(content, digest_size=12).digest()
        self._dictionary = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        self._dictionary.precompute_compress(level=LEVEL)
        self._local = threading.local()  # zstandard's compressors must not be shared between threads

    def pack(self, content: bytes) -> bytes:
        if not hasattr(self._local, "compressor"):
            self._local.compressor = zstandard.ZstdCompressor(dict_data=self._dictionary)
        packed: bytes = self._local.compressor.compress(content)
        return packed

    def unpack(self, packed: bytes) -> bytes:
        if not hasattr(self._local, "decompressor"):
            self._local.decompressor = zstandard.ZstdDecompressor(dict_data=self._dictionary)
        content: bytes = self._local.decompressor.decompress(packed, max_output_size=MAX_SIZE)
        return content


def _sample(kind: _Kind) -> _Sample | None:
    """Return the sample page of this kind, or None until the first page of the kind has been cached."""
    ready, key = caches["default"], _sample_key(kind)
    sample: _Sample | None = ready.get(key)
    if sample is None and (content := caches[CACHE].get(key)):
        sample = _Sample(content)
        ready.set(key, sample, WEEK)
    return sample


def _version() -> str:
    return f"{_code()}-{timezone.localdate():%G-%V}"


@cache
def _code() -> str:
    """Return a digest of the code, templates, translations, static files, settings and the database's name."""
    digest = hashlib.blake2b(django.__version__.encode(), digest_size=8)
    paths = (path for name in _CODE for path in (settings.BASE_DIR / name).rglob("*") if path.suffix in _SUFFIXES)
    for path in (*sorted(paths), Path(settings.STATIC_ROOT) / "staticfiles.json"):
        digest.update(path.read_bytes() if path.exists() else b"")
    database = settings.DATABASES["default"]
    values = [getattr(settings, name) for name in _SETTINGS] + [database.get(name) for name in ("HOST", "PORT", "NAME")]
    digest.update(repr(values).encode())
    return digest.hexdigest()
