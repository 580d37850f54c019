"""Opens the file or archive at a URL or a path, compressed or not. Does not read the records in it.

Only regular files are opened, for reading only. Which paths are allowed is decided at registration.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from core.temporary_files import spooled
from harvesting.http.archive_beginnings import ArchiveBeginning
from harvesting.http.archives import CHUNK, MIB, Archive, ArchiveLimits, is_gzip, is_zip, open_gzip
from harvesting.transports.documents.elements import fingerprint_of
from harvesting.transports.documents.entries import Report
from harvesting.transports.documents.formats import INSPECTED_BYTES
from harvesting.transports.documents.requests import Fetch, download
from harvesting.transports.retries import RetryPolicy
from harvesting.types import EMPTY_MAPPING, Observation, TransportError

MAX_FILE_BYTES = 4096 * MIB  # of a file as it arrives, and again when decompressed
MEMORY_LIMIT = 8 * MIB
LIMITS = ArchiveLimits(members=10_000, member_bytes=2048 * MIB, total_bytes=MAX_FILE_BYTES, ratio=200)
# Files that operating systems add to archives.
_SYSTEM_FILES = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSource:
    """An opened file.

    unchanged: the file has not changed since the last run, and the stream is empty.
    date: of the HTTP response, or when a local file was opened. memory: values to remember for the next run.
    """

    name: str
    stream: IO[bytes] = field(default_factory=BytesIO)
    fingerprint: str = ""
    unchanged: bool = False
    date: datetime | None = None
    memory: Mapping[str, str] = EMPTY_MAPPING
    observations: tuple[Observation, ...] = ()
    most_bytes: int = 0  # read of each file in an archive, for a sample; 0 = all
    cut: bool = False  # the stream is only the beginning of a larger file

    def members(self, report: Report) -> list[str]:
        """Return the sorted names of the files in an archive; [""] for a file that is not an archive."""
        if not is_zip(self.start()):
            return [""]
        with self._archive() as archive:
            names = [name for name in archive.names() if not any(system_file in name for system_file in _SYSTEM_FILES)]
            if "[Content_Types].xml" in names:
                raise TransportError("a workbook", "file.not_readable", permanent=True, found="Excel (.xlsx)")
        if not names:
            report.note("file.no_records", incomplete=True)
        return sorted(names)

    @contextmanager
    def member(self, name: str) -> Iterator[IO[bytes]]:
        """Open one of `members` as a stream at its start."""
        if not name:
            self.stream.seek(0)
            yield self.stream
            return
        with spooled(MEMORY_LIMIT) as unpacked, self._archive() as archive:
            for chunk in archive.chunks(name):
                unpacked.write(chunk)
                if self.most_bytes and unpacked.tell() >= self.most_bytes:
                    break
            unpacked.seek(0)
            yield unpacked

    def is_beginning(self, name: str, stream: IO[bytes]) -> bool:
        """Whether the stream of one of `members` is only its beginning, because only a sample is wanted."""
        return self.cut or (bool(name) and bool(self.most_bytes) and _size(stream) >= self.most_bytes)

    def _archive(self) -> Archive | ArchiveBeginning:
        return ArchiveBeginning(self.stream, LIMITS) if self.cut else Archive(self.stream, LIMITS)

    def start(self) -> bytes:
        self.stream.seek(0)
        start = self.stream.read(INSPECTED_BYTES)
        self.stream.seek(0)
        return start


def open_source(
    address: str,
    fetch: Fetch,
    retry_policy: RetryPolicy,
    memory: Mapping[str, str] = EMPTY_MAPPING,
    most_bytes: int = 0,
) -> OpenedSource:
    """Open the file at a URL or a path, unpacked if it is gzip.

    memory: of the last run; with an empty one the file is read even if it has not changed. most_bytes: at the start of
    the file, and again when unpacked; 0 = all.
    TransportError "file.missing", "file.not_a_file", "file.too_large", "archive.…" and those of the network.
    """
    if _is_url(address):
        return _from_url(address, fetch, retry_policy, memory, most_bytes)
    return _from_path(_local_path(address), memory, most_bytes)


def file_name_of(address: str, fetch: Fetch) -> str:
    """Return the name of the file at a URL or a path after checking that it can be opened, without reading it whole.

    TransportError as in `open_source`.
    """
    if _is_url(address):
        try:
            fetch(address, max_bytes=INSPECTED_BYTES).checked()
        except TransportError as error:
            if error.code != "net.too_large":  # "too large" proves that there is a file
                raise
        return _url_name(address)
    path = _local_path(address)
    _open(path)[0].close()
    return Path(path).name


def _is_url(address: str) -> bool:
    return address.strip().lower().startswith(("http://", "https://"))


def _url_name(url: str) -> str:
    return unquote(url.partition("?")[0].rpartition("/")[2]) or url


def _from_url(
    address: str, fetch: Fetch, retry_policy: RetryPolicy, memory: Mapping[str, str], most_bytes: int
) -> OpenedSource:
    downloaded = download(fetch, retry_policy, address, memory, most_bytes or MAX_FILE_BYTES, cut=bool(most_bytes))
    name = _url_name(downloaded.url)
    cut = bool(most_bytes) and _size(downloaded.stream) >= most_bytes
    stream, unpacked_cut = (
        (downloaded.stream, False) if downloaded.unchanged else _unpacked(downloaded.stream, most_bytes)
    )
    return OpenedSource(
        name=name,
        stream=stream,
        fingerprint="" if downloaded.unchanged else fingerprint_of(stream),
        unchanged=downloaded.unchanged,
        date=downloaded.date or datetime.now(UTC),
        memory=downloaded.memory,
        observations=downloaded.observations,
        most_bytes=most_bytes,
        cut=cut or unpacked_cut,
    )


def _local_path(address: str) -> str:
    """Return an absolute path, from a path or from a file: URL of this machine (RFC 8089)."""
    host, path = "", address
    if address.lower().startswith("file://"):
        host, slash, path_part = address[len("file://") :].partition("/")
        path = unquote(slash + path_part)
    if host not in {"", "localhost"} or not Path(path).is_absolute() or "\0" in path:
        raise TransportError("no absolute path", "file.missing", permanent=True, path=address[:300])
    return path


def _from_path(path: str, memory: Mapping[str, str], most_bytes: int) -> OpenedSource:
    opened_at = datetime.now(UTC)
    stream, state = _open(path)
    version = f"{state.st_size}:{state.st_mtime_ns}"
    name = Path(path).name
    if memory.get("path") == path and memory.get("version") == version:
        stream.close()
        return OpenedSource(name=name, unchanged=True, date=opened_at, memory=dict(memory))
    unpacked, cut = _unpacked(stream, most_bytes)
    return OpenedSource(
        name=name,
        stream=unpacked,
        fingerprint=fingerprint_of(unpacked),
        date=opened_at,
        memory={"path": path, "version": version},
        most_bytes=most_bytes,
        cut=cut,
    )


def _open(path: str) -> tuple[IO[bytes], os.stat_result]:
    """Open a regular file that is not too large. Devices and pipes are refused, because they might never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        reason = error.strerror or str(error)
        raise TransportError(
            f"{path}: {reason}", "file.missing", permanent=True, path=path[:300], reason=reason
        ) from error
    state = os.fstat(descriptor)
    code = "" if stat.S_ISREG(state.st_mode) else "file.not_a_file"
    code = code or ("file.too_large" if state.st_size > MAX_FILE_BYTES else "")
    if code:
        os.close(descriptor)
        raise TransportError(f"{path} is refused", code, permanent=True, path=path[:300], most=MAX_FILE_BYTES // MIB)
    return os.fdopen(descriptor, "rb"), state


def _unpacked(stream: IO[bytes], most_bytes: int) -> tuple[IO[bytes], bool]:
    """Return the file unpacked if it is gzip, and whether it was cut off there."""
    start = stream.read(2)
    stream.seek(0)
    if not is_gzip(start):
        return stream, False
    with stream:
        unpacked = open_gzip(stream, most_bytes or MAX_FILE_BYTES, cut=bool(most_bytes))
    return unpacked, bool(most_bytes) and _size(unpacked) + CHUNK >= most_bytes


def _size(stream: IO[bytes]) -> int:
    position = stream.tell()
    size = stream.seek(0, os.SEEK_END)
    stream.seek(position)
    return size
