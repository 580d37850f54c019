"""Reads the beginning of a ZIP file of which the rest, with the directory, was not received. For samples. No Django.

The members are found by the headers before them (APPNOTE 4.3.7). A member whose header does not tell its size, as
programs write it that cannot seek, is the last one that is found; so is one that is cut off.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self

from harvesting.http.archives import CHUNK, LOCAL_HEADER_SIZE, ArchiveLimits, archive_error, check_entry, check_growth

_HEADER = struct.Struct("<4s5H3I2H")  # up to the lengths of name and extra field
_MAGIC = b"PK\x03\x04"
_SIZES_FOLLOW = 0x0008  # general purpose bit flag: the sizes stand behind the data
_UTF_8 = 0x0800
_IN_EXTRA = 0xFFFFFFFF  # ZIP64: the size is in the extra field


@dataclass(frozen=True, slots=True)
class _Member:
    """A member and where its data begins. size: of the data; -1 = unknown."""

    info: zipfile.ZipInfo
    start: int
    size: int


class ArchiveBeginning:
    """The members of which the beginning was received. Same methods as `Archive`, as far as a sample needs them.

    file: a seekable file, which the caller closes.
    """

    def __init__(self, file: IO[bytes], limits: ArchiveLimits) -> None:
        self._file, self._limits = file, limits
        self._members: dict[str, _Member] = {}
        for member in _members(file):
            check_entry(member.info, limits)
            if member.info.filename in self._members:
                raise archive_error("duplicate", "two members of one name", member.info.filename)
            if len(self._members) >= limits.members:
                raise archive_error("too_large", f"more than {limits.members} members")
            self._members[member.info.filename] = member

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing, because the caller closes the file."""

    def names(self) -> tuple[str, ...]:
        """The paths of the members in the order of the file, without folders."""
        return tuple(name for name, member in self._members.items() if not member.info.is_dir())

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield as much of a member as was received. Nobody can check its length and its checksum."""
        member = self._members[name]
        received = packed = 0
        for size, chunk in self._unpacked(member):
            received, packed = received + len(chunk), packed + size
            check_growth(self._limits, name, received, packed)
            yield chunk

    def _unpacked(self, member: _Member) -> Iterator[tuple[int, bytes]]:
        """Yield (bytes read from the file, bytes of the member)."""
        if member.info.compress_type == zipfile.ZIP_STORED:
            yield from ((len(piece), piece) for piece in self._packed(member))
            return
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            for piece in self._packed(member):
                yield len(piece), stream.decompress(piece, CHUNK)
                while stream.unconsumed_tail:
                    yield 0, stream.decompress(stream.unconsumed_tail, CHUNK)
                if stream.eof:
                    return
        except zlib.error as error:
            raise archive_error("damaged", str(error), member.info.filename) from error

    def _packed(self, member: _Member) -> Iterator[bytes]:
        position, left = member.start, member.size
        while left:
            self._file.seek(position)
            piece = self._file.read(CHUNK if left < 0 else min(CHUNK, left))
            if not piece:
                return
            yield piece
            position, left = position + len(piece), left - len(piece) if left > 0 else left


def _members(file: IO[bytes]) -> Iterator[_Member]:
    """Yield the members in the order of the file. What is no header ends it: the directory, or the end of the file."""
    position = 0
    while True:
        file.seek(position)
        header = file.read(LOCAL_HEADER_SIZE)
        if len(header) < LOCAL_HEADER_SIZE or not header.startswith(_MAGIC):
            return
        _magic, _version, flags, method, _time, _date, _crc, packed, size, name_length, extra = _HEADER.unpack(header)
        name = file.read(name_length)
        start = position + LOCAL_HEADER_SIZE + name_length + extra
        info = zipfile.ZipInfo(name.decode("utf-8" if flags & _UTF_8 else "cp437", "replace"))
        info.flag_bits, info.compress_type = flags, method
        is_known = not flags & _SIZES_FOLLOW and _IN_EXTRA not in (packed, size)
        info.file_size = size if is_known else 0
        yield _Member(info, start, packed if is_known else -1)
        if not is_known:
            return
        position = start + packed
