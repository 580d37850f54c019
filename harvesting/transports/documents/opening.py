"""From an address to the files that are there: a URL or a path, packed or not. Reads no records.

Paths are opened for reading only, and only regular files; what may be given as a path is decided at registration.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO
from urllib.parse import unquote

from harvesting.http.archives import MIB, Archive, ArchiveLimits, is_gzip, is_zip, open_gzip
from harvesting.transports.documents.elements import fingerprint_of
from harvesting.transports.documents.entries import Report
from harvesting.transports.documents.formats import LOOKED_AT
from harvesting.transports.documents.requests import Fetch, download
from harvesting.transports.patience import Patience
from harvesting.types import NOTHING, Observation, TransportError

LARGEST = 4096 * MIB  # bytes of a file, packed or not
IN_MEMORY = 8 * MIB
LIMITS = ArchiveLimits(members=10_000, member_bytes=2048 * MIB, total_bytes=LARGEST, ratio=200)
# What systems put into archives beside the data.
_RUBBISH = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A file as it was found. unchanged: it is as the last run saw it, and there is no stream."""

    name: str
    stream: IO[bytes] = field(default_factory=BytesIO)
    fingerprint: str = ""
    unchanged: bool = False
    date: datetime | None = None
    memory: Mapping[str, str] = NOTHING
    observations: tuple[Observation, ...] = ()

    def members(self, report: Report) -> list[str]:
        """Names of the files in an archive, in a fixed order; ("",) for a file that is none."""
        if not is_zip(self.start()):
            return [""]
        with Archive(self.stream, LIMITS) as archive:
            names = [name for name in archive.names() if not any(each in name for each in _RUBBISH)]
            if "[Content_Types].xml" in names:
                raise TransportError("a workbook", "file.not_readable", permanent=True, found="Excel (.xlsx)")
        if not names:
            report.note("file.no_records", incomplete=True)
        return sorted(names)

    @contextmanager
    def member(self, name: str) -> Iterator[IO[bytes]]:
        """The stream of one of `members`, at its start."""
        if not name:
            self.stream.seek(0)
            yield self.stream
            return
        with SpooledTemporaryFile(max_size=IN_MEMORY) as unpacked, Archive(self.stream, LIMITS) as archive:
            for chunk in archive.chunks(name):
                unpacked.write(chunk)
            unpacked.seek(0)
            yield unpacked

    def start(self) -> bytes:
        self.stream.seek(0)
        start = self.stream.read(LOOKED_AT)
        self.stream.seek(0)
        return start


def open_source(address: str, fetch: Fetch, patience: Patience, memory: Mapping[str, str] = NOTHING) -> Opened:
    """What is at a URL or a path, unpacked if it is gzip. memory: of the last run, empty to have it in any case.

    TransportError "file.missing", "file.not_a_file", "file.too_large", "archive.…" and those of the network.
    """
    if _is_web(address):
        return _from_url(address, fetch, patience, memory)
    return _from_path(_path(address), memory)


def look_at(address: str, fetch: Fetch) -> str:
    """The name of the file at a URL or a path, without reading it. TransportError as `open_source`."""
    if _is_web(address):
        try:
            fetch(address, max_bytes=LOOKED_AT).checked()
        except TransportError as error:
            if error.code != "net.too_large":  # then there is a file, and we have seen enough of it
                raise
        return _url_name(address)
    path = _path(address)
    _open(path)[0].close()
    return Path(path).name


def _is_web(address: str) -> bool:
    return address.strip().lower().startswith(("http://", "https://"))


def _url_name(url: str) -> str:
    return unquote(url.partition("?")[0].rpartition("/")[2]) or url


def _from_url(address: str, fetch: Fetch, patience: Patience, memory: Mapping[str, str]) -> Opened:
    got = download(fetch, patience, address, memory, LARGEST)
    name = _url_name(got.url)
    stream = got.stream if got.unchanged else _unpacked(got.stream)
    return Opened(
        name=name,
        stream=stream,
        fingerprint="" if got.unchanged else fingerprint_of(stream),
        unchanged=got.unchanged,
        date=got.date or datetime.now(UTC),
        memory=got.memory,
        observations=got.observations,
    )


def _path(address: str) -> str:
    """An absolute path, or that of a file: URL of this machine (RFC 8089)."""
    host, path = "", address
    if address.lower().startswith("file://"):
        host, slash, rest = address[len("file://") :].partition("/")
        path = unquote(slash + rest)
    if host not in {"", "localhost"} or not Path(path).is_absolute() or "\0" in path:
        raise TransportError("no absolute path", "file.missing", permanent=True, path=address[:300])
    return path


def _from_path(path: str, memory: Mapping[str, str]) -> Opened:
    asked_at = datetime.now(UTC)
    stream, state = _open(path)
    version = f"{state.st_size}:{state.st_mtime_ns}"
    name = Path(path).name
    if memory.get("path") == path and memory.get("version") == version:
        stream.close()
        return Opened(name=name, unchanged=True, date=asked_at, memory=dict(memory))
    found = _unpacked(stream)
    return Opened(
        name=name,
        stream=found,
        fingerprint=fingerprint_of(found),
        date=asked_at,
        memory={"path": path, "version": version},
    )


def _open(path: str) -> tuple[IO[bytes], os.stat_result]:
    """A regular file that is not too large; never a device or a pipe, which might not end."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        reason = error.strerror or str(error)
        raise TransportError(
            f"{path}: {reason}", "file.missing", permanent=True, path=path[:300], reason=reason
        ) from error
    state = os.fstat(number)
    code = "" if stat.S_ISREG(state.st_mode) else "file.not_a_file"
    code = code or ("file.too_large" if state.st_size > LARGEST else "")
    if code:
        os.close(number)
        raise TransportError(f"{path} is refused", code, permanent=True, path=path[:300], most=LARGEST // MIB)
    return os.fdopen(number, "rb"), state


def _unpacked(stream: IO[bytes]) -> IO[bytes]:
    start = stream.read(2)
    stream.seek(0)
    if not is_gzip(start):
        return stream
    with stream:
        return open_gzip(stream, LARGEST)
