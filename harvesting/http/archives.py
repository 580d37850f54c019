"""ZIP and gzip files that strangers sent: members read one by one into memory, never extracted. No Django.

Everything that is wrong with an archive, or larger than the limits, is a TransportError "archive.<reason>".
"""

import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Any, Self

from harvesting.http.bodies import BodyError, Inflate
from harvesting.types import TransportError

MIB = 1024 * 1024
CHUNK = 256 * 1024
MEMORY = 8 * MIB  # what an unpacked file may take there before it goes to the disk
GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
LOCAL_HEADER = 30  # bytes before the name, APPNOTE 4.3.7
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# General purpose bits, APPNOTE 4.4.4: encrypted, patched data, strong encryption, masked headers.
REFUSED_FLAGS = 0x0001 | 0x0020 | 0x0040 | 0x2000
DIRECTORY_PER_MEMBER = 512  # bytes of the central directory, on average


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """members: how many; member_bytes, total_bytes: unpacked; ratio: unpacked to packed, once free_bytes are out."""

    members: int = 10_000
    member_bytes: int = 16 * MIB
    total_bytes: int = 64 * MIB
    ratio: int = 200
    free_bytes: int = 1 * MIB


class Archive:
    """A ZIP file, checked as a whole when it is opened. file: seekable, stays open and the caller's own."""

    def __init__(self, file: IO[bytes], limits: ArchiveLimits | None = None) -> None:
        self._limits = limits or ArchiveLimits()
        reader: Any = _BoundedReads(file, MIB + self._limits.members * DIRECTORY_PER_MEMBER)
        try:
            self._zip = zipfile.ZipFile(reader)
        except TransportError:
            raise
        except Exception as error:  # zipfile documents BadZipFile and raises half a dozen others
            raise _bad("damaged", str(error)) from error
        entries = self._zip.infolist()
        _check_directory(entries, self._limits, self._zip.start_dir)
        self._members = {each.filename: each for each in entries if not each.is_dir()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def names(self) -> tuple[str, ...]:
        """Paths of the members with "/" between the parts, in the order of the archive, without folders."""
        return tuple(self._members)

    def size(self, name: str) -> int:
        """Bytes of a member when unpacked. TransportError "archive.missing" if there is no such member."""
        return self._member(name).file_size

    def read(self, name: str) -> bytes:
        """A member, whole and with the right check sum."""
        return b"".join(self.chunks(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """The same in parts, for a member that should not be in memory at once."""
        member = self._member(name)
        received = 0
        try:
            with self._zip.open(member) as file:
                while chunk := file.read(CHUNK):
                    received += len(chunk)
                    self._check_growth(member, received)
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise _bad("damaged", str(error), name) from error
        if received != member.file_size:
            raise _bad("damaged", f"{received} of {member.file_size} bytes", name)

    def _member(self, name: str) -> zipfile.ZipInfo:
        member = self._members.get(name)
        if member is None:
            raise _bad("missing", "no such member", name)
        return member

    def _check_growth(self, member: zipfile.ZipInfo, received: int) -> None:
        limits = self._limits
        if received > limits.free_bytes and received > limits.ratio * max(member.compress_size, 1):
            raise _bad("bomb", f"more than {limits.ratio} times its packed size", member.filename)


def is_zip(start: bytes) -> bool:
    """Whether a file with these first bytes is a ZIP file."""
    return start.startswith(ZIP_MAGIC)


def is_gzip(start: bytes) -> bool:
    """Whether a file with these first bytes is a gzip file."""
    return start.startswith(GZIP_MAGIC)


def read_gzip(file: IO[bytes], limit: int) -> bytes:
    """A gzip file unpacked in memory. TransportError "archive.too_large" over `limit` bytes, "archive.damaged"."""
    unpacked = BytesIO()
    _unpack(file, unpacked, limit)
    return unpacked.getvalue()


def open_gzip(file: IO[bytes], limit: int) -> IO[bytes]:
    """A gzip file unpacked into a temporary file at position 0, which the caller closes. Errors as `read_gzip`."""
    unpacked: IO[bytes] = SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115
    try:
        _unpack(file, unpacked, limit)
    except BaseException:
        unpacked.close()
        raise
    unpacked.seek(0)
    return unpacked


def _unpack(file: IO[bytes], out: IO[bytes], limit: int) -> None:
    stream = Inflate(16 + zlib.MAX_WBITS)
    room = limit
    try:
        while chunk := file.read(CHUNK):
            for piece in stream.decode(chunk):
                room -= len(piece)
                if room < 0:
                    raise _bad("too_large", f"more than {limit} bytes")
                out.write(piece)
        stream.finish()
    except BodyError as error:
        raise _bad("damaged", error.reason) from error


def _check_directory(entries: list[zipfile.ZipInfo], limits: ArchiveLimits, end: int) -> None:
    if len(entries) > limits.members:
        raise _bad("too_large", f"{len(entries)} members")
    for entry in entries:
        _check_entry(entry, limits)
    twice = [name for name, count in Counter(each.filename for each in entries).items() if count > 1]
    if twice:
        raise _bad("duplicate", "two members of one name", twice[0])
    if sum(each.file_size for each in entries) > limits.total_bytes:
        raise _bad("too_large", f"more than {limits.total_bytes} bytes unpacked")
    _check_overlaps(entries, end)


def _check_entry(entry: zipfile.ZipInfo, limits: ArchiveLimits) -> None:
    name = entry.orig_filename
    if not _is_plain_path(name):
        raise _bad("path", "a name that leads out of the archive", name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise _bad("link", "a link or device", name)
    if entry.flag_bits & REFUSED_FLAGS:
        raise _bad("encrypted", "an encrypted member", name)
    if entry.compress_type not in METHODS:
        raise _bad("method", f"compression method {entry.compress_type}", name)
    if entry.file_size > limits.member_bytes:
        raise _bad("too_large", f"more than {limits.member_bytes} bytes unpacked", name)


def _is_plain_path(name: str) -> bool:
    """Relative, with "/" between the parts, and staying where it is, on any operating system."""
    parts = name.removesuffix("/").split("/")
    if any(part in {"", ".", ".."} for part in parts) or name[1:2] == ":":  # a drive; elsewhere a colon is fine
        return False
    return not any(letter in name for letter in ("\\", "\0", "\r", "\n"))


def _check_overlaps(entries: list[zipfile.ZipInfo], end: int) -> None:
    """Members that share bytes are how 10 MB of ZIP become 281 TB without any large ratio."""
    entries = sorted(entries, key=lambda each: each.header_offset)
    limits = [*(each.header_offset for each in entries[1:]), end]
    for entry, limit in zip(entries, limits, strict=False):
        least = entry.header_offset + LOCAL_HEADER + len(entry.orig_filename) + entry.compress_size
        if entry.header_offset < 0 or least > limit:
            raise _bad("overlap", "members that share bytes", entry.filename)


def _bad(reason: str, detail: str, member: str = "") -> TransportError:
    return TransportError(
        f"archive refused: {detail} {member[:200]!r}".rstrip(),
        f"archive.{reason}",
        permanent=True,
        detail=detail[:300],
        member=member[:200],
    )


class _BoundedReads:
    """A file that refuses to be read in one piece larger than a directory may be."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise _bad("too_large", "a directory larger than allowed")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """The file is the caller's."""
