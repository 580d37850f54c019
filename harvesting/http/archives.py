"""Safe reading of untrusted ZIP and gzip files. Members are read one at a time and never extracted to disk. No Django.

An archive that is damaged, hostile or larger than the limits raises a TransportError "archive.<reason>".
"""

import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from types import TracebackType
from typing import IO, Any, Self

from core.temporary_files import spooled
from harvesting.http.bodies import BodyError, InflateDecoder
from harvesting.types import TransportError

MIB = 1024 * 1024
CHUNK = 256 * 1024
SPOOL_MEMORY = 8 * MIB  # bytes of an unpacked file that are held in memory before it goes to the disk
GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
LOCAL_HEADER_SIZE = 30  # bytes before the name, APPNOTE 4.3.7
ALLOWED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# General purpose bit flags, APPNOTE 4.4.4: encrypted, patched data, strong encryption, masked headers.
REFUSED_FLAGS = 0x0001 | 0x0020 | 0x0040 | 0x2000
DIRECTORY_PER_MEMBER = 512  # bytes of the central directory, on average


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """Limits of one archive.

    members: number of members. member_bytes, total_bytes: unpacked bytes of one member and of all.
    ratio: unpacked to packed bytes; checked only after free_bytes of a member have been unpacked.
    """

    members: int = 10_000
    member_bytes: int = 16 * MIB
    total_bytes: int = 64 * MIB
    ratio: int = 200
    free_bytes: int = 1 * MIB


class Archive:
    """A ZIP file whose directory is checked when it is opened.

    file: a seekable file, which the caller closes.
    """

    def __init__(self, file: IO[bytes], limits: ArchiveLimits | None = None) -> None:
        self._limits = limits or ArchiveLimits()
        reader: Any = _BoundedReader(file, MIB + self._limits.members * DIRECTORY_PER_MEMBER)
        try:
            self._zip = zipfile.ZipFile(reader)
        except TransportError:
            raise
        except Exception as error:  # zipfile documents only BadZipFile but raises half a dozen others
            raise archive_error("damaged", str(error)) from error
        entries = self._zip.infolist()
        _check_directory(entries, self._limits, self._zip.start_dir)
        self._members = {entry.filename: entry for entry in entries if not entry.is_dir()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def names(self) -> tuple[str, ...]:
        """The paths of the members in the order of the archive, with "/" as separator and without folders."""
        return tuple(self._members)

    def size(self, name: str) -> int:
        """The unpacked size of a member in bytes. TransportError "archive.missing" if there is no such member."""
        return self._member(name).file_size

    def read(self, name: str) -> bytes:
        """Return a whole member, with its checksum verified."""
        return b"".join(self.chunks(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield a member in chunks, for a member that should not be in memory as a whole. Checks as `read`."""
        member = self._member(name)
        received = 0
        try:
            with self._zip.open(member) as file:
                while chunk := file.read(CHUNK):
                    received += len(chunk)
                    check_growth(self._limits, member.filename, received, member.compress_size)
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise archive_error("damaged", str(error), name) from error
        if received != member.file_size:
            raise archive_error("damaged", f"{received} of {member.file_size} bytes", name)

    def _member(self, name: str) -> zipfile.ZipInfo:
        member = self._members.get(name)
        if member is None:
            raise archive_error("missing", "no such member", name)
        return member


def check_growth(limits: ArchiveLimits, name: str, received: int, packed: int) -> None:
    """Refuse a member of which so many unpacked bytes came from so few packed ones. TransportError "archive.bomb"."""
    if received > limits.free_bytes and received > limits.ratio * max(packed, 1):
        raise archive_error("bomb", f"more than {limits.ratio} times its packed size", name)


def is_zip(start: bytes) -> bool:
    """Whether a file with these first bytes is a ZIP file."""
    return start.startswith(ZIP_MAGIC)


def is_gzip(start: bytes) -> bool:
    """Whether a file with these first bytes is a gzip file."""
    return start.startswith(GZIP_MAGIC)


def read_gzip(file: IO[bytes], limit: int) -> bytes:
    """Unpack a gzip file in memory. TransportError "archive.too_large" over `limit` bytes, or "archive.damaged"."""
    unpacked = BytesIO()
    _unpack(file, unpacked, limit)
    return unpacked.getvalue()


def open_gzip(file: IO[bytes], limit: int, *, cut: bool = False) -> IO[bytes]:
    """Unpack a gzip file into a temporary file at position 0, which the caller closes. Errors as in `read_gzip`.

    cut: a file that is larger than allowed, packed or unpacked, was or is cut off there.
    """
    unpacked: IO[bytes] = spooled(SPOOL_MEMORY)
    try:
        _unpack(file, unpacked, limit)
    except TransportError:
        if not cut or max(file.tell(), unpacked.tell()) + CHUNK < limit:
            unpacked.close()
            raise
    except BaseException:
        unpacked.close()
        raise
    unpacked.seek(0)
    return unpacked


def _unpack(file: IO[bytes], out: IO[bytes], limit: int) -> None:
    stream = InflateDecoder(16 + zlib.MAX_WBITS)
    remaining = limit
    try:
        while chunk := file.read(CHUNK):
            for piece in stream.decode(chunk):
                remaining -= len(piece)
                if remaining < 0:
                    raise archive_error("too_large", f"more than {limit} bytes")
                out.write(piece)
        stream.finish()
    except BodyError as error:
        raise archive_error("damaged", error.reason) from error


def _check_directory(entries: list[zipfile.ZipInfo], limits: ArchiveLimits, end: int) -> None:
    if len(entries) > limits.members:
        raise archive_error("too_large", f"{len(entries)} members")
    for entry in entries:
        check_entry(entry, limits)
    duplicates = [name for name, count in Counter(entry.filename for entry in entries).items() if count > 1]
    if duplicates:
        raise archive_error("duplicate", "two members of one name", duplicates[0])
    if sum(entry.file_size for entry in entries) > limits.total_bytes:
        raise archive_error("too_large", f"more than {limits.total_bytes} bytes unpacked")
    _check_overlaps(entries, end)


def check_entry(entry: zipfile.ZipInfo, limits: ArchiveLimits) -> None:
    """Refuse a member of a kind that no honest archive of records has."""
    name = entry.orig_filename
    if not _is_plain_path(name):
        raise archive_error("path", "a name that leads out of the archive", name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise archive_error("link", "a link or device", name)
    if entry.flag_bits & REFUSED_FLAGS:
        raise archive_error("encrypted", "an encrypted member", name)
    if entry.compress_type not in ALLOWED_METHODS:
        raise archive_error("method", f"compression method {entry.compress_type}", name)
    if entry.file_size > limits.member_bytes:
        raise archive_error("too_large", f"more than {limits.member_bytes} bytes unpacked", name)


def _is_plain_path(name: str) -> bool:
    """Whether the path is relative, separated by "/", and inside its folder on any operating system."""
    parts = name.removesuffix("/").split("/")
    if (
        any(part in {"", ".", ".."} for part in parts) or name[1:2] == ":"
    ):  # a Windows drive; elsewhere a colon is allowed
        return False
    return not any(letter in name for letter in ("\\", "\0", "\r", "\n"))


def _check_overlaps(entries: list[zipfile.ZipInfo], end: int) -> None:
    """Refuse members that share bytes: overlapping members let 10 MB of ZIP unpack to 281 TB at ordinary ratios."""
    entries = sorted(entries, key=lambda entry: entry.header_offset)
    limits = [*(entry.header_offset for entry in entries[1:]), end]
    for entry, limit in zip(entries, limits, strict=False):
        minimum_end = entry.header_offset + LOCAL_HEADER_SIZE + len(entry.orig_filename) + entry.compress_size
        if entry.header_offset < 0 or minimum_end > limit:
            raise archive_error("overlap", "members that share bytes", entry.filename)


def archive_error(reason: str, detail: str, member: str = "") -> TransportError:
    """Return the error "archive.<reason>"."""
    return TransportError(
        f"archive refused: {detail} {member[:200]!r}".rstrip(),
        f"archive.{reason}",
        permanent=True,
        detail=detail[:300],
        member=member[:200],
    )


class _BoundedReader:
    """A wrapper of a file that refuses a single read larger than the ZIP directory may be."""

    def __init__(self, file: IO[bytes], max_bytes: int) -> None:
        self._file, self._most = file, max_bytes

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise archive_error("too_large", "a directory larger than allowed")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing, because the caller closes the file."""
