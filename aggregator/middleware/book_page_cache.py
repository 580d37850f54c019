"""Pages of books that were made once, kept for all who ask for them next. Knows requests; nothing of what is printed.

A kept page is good as long as what it was made from is the same (`book_tags`), for the language and the beginning of
its address, for this code, these settings and this week: what the tag does not know is made anew by then. The day,
which citations print, is written when the page is given. It is given only to who has no session, and only a page is
kept that looked at none, gave no cookie and wrote no token of a form.
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
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from aggregator.catalogue.etags import Tagged, tagged
from aggregator.middleware.language_prefix import START
from core.disk_cache import DiskCache

LEVEL = 3
MAX_SIZE = 4 * 1024 * 1024  # bytes of a page; a larger one is not kept
_CODE = ("aggregator", "core", "harvesting", "metadata", "templates", "locale")
_SUFFIXES = {".py", ".html", ".mo", ".json"}
_SAMPLE = "sample "  # before the kind: the page that all others of the kind are told by their difference from
TODAY = "\ufdd0"  # in what is made, where the day shall stand: a character that no text has (Unicode, chapter 23.7)
_SETTINGS = ("PUBLIC_URL", "SITE_OPERATOR", "SITE_CONTACT", "TIME_ZONE", "LANGUAGES")


class _Kind(NamedTuple):
    """What all pages that are alike share. name: their language, and that of their address."""

    name: str
    version: str


def kept_or(request: HttpRequest, public_id: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """The page under this id, as it was kept or as `make` makes it. At most one query more than `make` asks."""
    today = timezone.localdate().isoformat()
    asked = None if is_known(request) or settings.DEBUG else tagged(public_id)
    if asked is None:
        return _dated(make(), today)
    kind = _Kind(f"{get_language()}{request.META.get(START, '')}", _version())
    content = _recall(kind, asked)
    if content is None:
        response = make()
        if not is_for_everybody(request, response, MAX_SIZE):
            return _dated(response, today)
        _keep(kind, asked, response.content)
    else:
        response = HttpResponse(content)
    response["ETag"] = f'W/"{_digest(kind, asked, f"{kind.version} {today}".encode()).hex()}"'
    return _dated(response, today)


def _dated(response: HttpResponse, today: str) -> HttpResponse:
    response.content = response.content.replace(TODAY.encode(), today.encode())
    return response


def is_known(request: HttpRequest) -> bool:
    """Whether the reader has a session: then a page may be theirs alone."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES


def is_for_everybody(request: HttpRequest, response: HttpResponse, most: int) -> bool:
    """Whether this may be given to others. most: bytes."""
    personal = response.cookies or request.META.get("CSRF_COOKIE_NEEDS_UPDATE") or request.session.accessed
    return response.status_code == 200 and not personal and len(response.content) <= most


def _recall(kind: _Kind, asked: Tagged) -> bytes | None:
    sample = _sample(kind)
    if sample is None:
        return None
    seen = _digest(kind, asked, sample.name)
    found = _KEPT.recall(kind.name, {asked.number: seen}).get(asked.number)
    return sample.unpack(found) if found is not None else None


def _keep(kind: _Kind, asked: Tagged, content: bytes) -> None:
    sample = _sample(kind)
    if sample is None:
        _KEPT.keep(_SAMPLE + kind.name, [(0, b"", content)])
        sample = _sample(kind)
    if sample is not None:
        _KEPT.keep(kind.name, [(asked.number, _digest(kind, asked, sample.name), sample.pack(content))])


def _digest(kind: _Kind, asked: Tagged, about: bytes) -> bytes:
    return hashlib.blake2b(b"\0".join([asked.tag, kind.name.encode(), about]), digest_size=12).digest()


class _Sample:
    """One page, as the dictionary of its kind: most of it stands in every other. name: another one for other bytes."""

    def __init__(self, content: bytes) -> None:
        self.name = hashlib.blake2b(content, digest_size=12).digest()
        self._dictionary = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        self._dictionary.precompute_compress(level=LEVEL)
        self._local = threading.local()  # zstandard's objects must not be shared between threads

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


_samples: dict[_Kind, _Sample] = {}  # of a day there are few


def _sample(kind: _Kind) -> _Sample | None:
    """None until the first page of the kind was kept."""
    known = _samples.get(kind)
    if known is None and (found := _KEPT.recall(_SAMPLE + kind.name, {0: b""})):
        for other in [each for each in _samples if each.version != kind.version]:
            _samples.pop(other, None)
        known = _samples[kind] = _Sample(found[0])
    return known


def _version() -> str:
    return f"{_code()}-{timezone.localdate():%G-%V}"


@cache
def _code() -> str:
    """Another one for other code, templates, translations, static files, settings, or another database."""
    found = hashlib.blake2b(django.__version__.encode(), digest_size=8)
    paths = (path for name in _CODE for path in (settings.BASE_DIR / name).rglob("*") if path.suffix in _SUFFIXES)
    for path in (*sorted(paths), Path(settings.STATIC_ROOT) / "staticfiles.json"):
        found.update(path.read_bytes() if path.exists() else b"")
    database = settings.DATABASES["default"]
    told = [getattr(settings, name) for name in _SETTINGS] + [database.get(name) for name in ("HOST", "PORT", "NAME")]
    found.update(repr(told).encode())
    return found.hexdigest()


_KEPT = DiskCache("pages", _version)
