"""Hostile ZIP and gzip files. Each case is the bytes of a file and the code with which it must be refused."""

# ruff: noqa: E501  (a table with one case per line)

import gzip
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass
class Member:
    """A member of a ZIP file, with the values of its central header. Its local header may differ."""

    name: bytes = b"a.xml"
    content: bytes = b"<a/>"
    method: int = zipfile.ZIP_STORED
    flags: int = 0
    attributes: int = 0
    packed: bytes | None = None
    size: int | None = None
    packed_size: int | None = None
    crc: int | None = None
    local_name: bytes | None = None
    offset: int | None = None

    def body(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method == zipfile.ZIP_DEFLATED:
            press = zlib.compressobj(9, zlib.DEFLATED, -15)
            return press.compress(self.content) + press.flush()
        return self.content

    def numbers(self) -> tuple[int, int, int]:
        crc = zlib.crc32(self.content) if self.crc is None else self.crc
        packed = len(self.body()) if self.packed_size is None else self.packed_size
        return crc, packed, len(self.content) if self.size is None else self.size

    def local(self) -> bytes:
        name = self.name if self.local_name is None else self.local_name
        head = struct.pack(
            "<IHHHHHIIIHH", 0x04034B50, 20, self.flags, self.method, 0, 33, *self.numbers(), len(name), 0
        )
        return head + name + self.body()

    def central(self, offset: int) -> bytes:
        place = offset if self.offset is None else self.offset
        fields = (self.flags, self.method, 0, 33, *self.numbers(), len(self.name), 0, 0, 0, 0, self.attributes, place)
        return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0x0314, 20, *fields) + self.name


def archive(
    *members: Member, count: int | None = None, directory: int | None = None, start: int | None = None
) -> bytes:
    """Write a ZIP file. count, directory, start: what the end record states about the central directory."""
    data, central = b"", b""
    for member in members:
        central += member.central(len(data))
        data += member.local()
    number = len(members) if count is None else count
    size = len(central) if directory is None else directory
    place = len(data) if start is None else start
    return data + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, number, number, size, place, 0)


def deflated(size: int) -> Member:
    return Member(content=bytes(size), method=zipfile.ZIP_DEFLATED)


def shared_bytes(times: int) -> bytes:
    """Write many directory entries for the same bytes (D. Fifield, "A better zip bomb", without quoting)."""
    one = deflated(MIB)
    central = b"".join(Member(**{**one.__dict__, "name": b"%d" % number}).central(0) for number in range(times))
    data = one.local()
    return data + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, times, times, len(central), len(data), 0)


def quoted(times: int) -> bytes:
    """Write stored members each of which contains all that follow, so that their packed sizes overlap."""
    inner = deflated(MIB).local()
    data, central = b"", b""
    rest = inner
    for number in range(times):
        member = Member(name=b"%d" % number, content=rest)
        rest = member.local()
    data, offset = rest, 0
    for number in reversed(range(times)):
        member = Member(name=b"%d" % number, content=data[offset + 31 :])
        central += member.central(offset)
        offset += 31
    return data + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, times, times, len(central), len(data), 0)


def zip64(members: int, size: int) -> bytes:
    plain = archive(Member())
    end = plain[-22:]
    body = plain[:-22]
    record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, members, members, size, len(body) - 51)
    locator = struct.pack("<IIQI", 0x07064B50, 0, len(body), 1)
    return body + record + locator + end[:8] + b"\xff\xff\xff\xff" + b"\xff" * 8 + b"\0\0"


def written(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        for name in names:
            opened.writestr(name, "x")
    return file.getvalue()


LINK = (stat.S_IFLNK | 0o777) << 16
DEVICE = (stat.S_IFCHR | 0o666) << 16
GOOD = archive(Member(), Member(name=b"b.xml"))
PATHS = [
    "/etc/passwd", "../a", "a/../../b", "..", ".", "a/./b", "a//b", "\\a", "..\\a", "a\\..\\..\\b", "C:/a", "c:a",
    "//server/share", "a/..", "a\r\nb", "",
]  # fmt: skip

type Make = Callable[[], bytes]

ZIPS: list[tuple[str, Make, str]] = [
    *((f"path {name!r}", lambda name=name: archive(Member(name=name.encode())), "path") for name in PATHS),
    ("NUL in a name", lambda: archive(Member(name=b"a.xml\0.exe")), "path"),
    ("link", lambda: archive(Member(attributes=LINK, content=b"/etc/passwd")), "link"),
    ("device", lambda: archive(Member(attributes=DEVICE)), "link"),
    ("encrypted", lambda: archive(Member(flags=1)), "encrypted"),
    ("strongly encrypted", lambda: archive(Member(flags=0x41)), "encrypted"),
    ("patched data", lambda: archive(Member(flags=0x20)), "encrypted"),
    ("masked headers", lambda: archive(Member(flags=0x2000)), "encrypted"),
    ("two of one name", lambda: archive(Member(), Member(content=b"<b/>")), "duplicate"),
    ("bzip2", lambda: archive(Member(method=zipfile.ZIP_BZIP2)), "method"),
    ("lzma", lambda: archive(Member(method=zipfile.ZIP_LZMA)), "method"),
    ("unknown method", lambda: archive(Member(method=99)), "method"),
    ("large member", lambda: archive(deflated(17 * MIB)), "too_large"),
    ("many large members", lambda: archive(*(Member(**{**deflated(8 * MIB).__dict__, "name": b"%d" % n}) for n in range(9))), "too_large"),
    ("ratio", lambda: archive(deflated(15 * MIB)), "bomb"),
    ("more members than allowed", lambda: archive(*(Member(name=b"%d" % n, content=b"") for n in range(10_001))), "too_large"),
    ("two million members said", lambda: archive(Member(), directory=100_000_000, count=65535), "damaged"),
    ("size that is a lie: small", lambda: archive(Member(content=b"x" * 5000, size=10, packed_size=5000)), "damaged"),
    ("size that is a lie: large", lambda: archive(Member(content=b"x", size=5000)), "damaged"),
    ("deflated size that is a lie: small", lambda: archive(Member(content=bytes(MIB), method=8, size=10)), "damaged"),
    ("deflated size that is a lie: large", lambda: archive(Member(content=b"x" * 10, method=8, size=5000)), "damaged"),
    ("packed size beyond the file", lambda: archive(Member(packed_size=10_000_000)), "overlap"),
    ("wrong check sum", lambda: archive(Member(crc=1)), "damaged"),
    ("damaged deflate", lambda: archive(Member(method=8, packed=b"\xff" * 50)), "damaged"),
    ("local name differs", lambda: archive(Member(local_name=b"evil.")), "damaged"),
    ("no local header", lambda: archive(Member(offset=3), Member(name=b"b")), "overlap"),
    ("offset beyond the file", lambda: archive(Member(offset=10_000_000)), "overlap"),
    ("members that share bytes", lambda: shared_bytes(60), "overlap"),
    ("members within members", lambda: quoted(20), "overlap"),
    ("directory beyond the file", lambda: archive(Member(), start=10_000_000), "overlap"),
    ("directory larger than the file", lambda: archive(Member(), directory=10_000_000), "damaged"),
    ("directory of another length", lambda: archive(Member(), directory=20), "damaged"),
    ("zip64 that says 2^60 members", lambda: zip64(2**60, 51), ""),  # accepted: the directory is read to its end
    ("zip64 with a directory of 2^60 bytes", lambda: zip64(1, 2**60), "damaged"),
    ("cut in the middle", lambda: GOOD[: len(GOOD) // 2], "damaged"),
    ("end only, with members said", lambda: archive(Member())[-22:], "damaged"),
    ("no ZIP at all", lambda: b"<?xml version='1.0'?><a/>" * 100, "damaged"),
    ("a directory of 20 MiB", lambda: archive(*(Member(name=b"%06d" % n + b"n" * 60_000, content=b"") for n in range(350))), "too_large"),
]  # fmt: skip

GZIPS: list[tuple[str, Make, str]] = [
    ("gzip bomb", lambda: gzip.compress(bytes(100 * MIB)), "too_large"),
    ("gzip cut", lambda: gzip.compress(b"x" * 5000)[:-9], "damaged"),
    ("gzip wrong check sum", lambda: gzip.compress(b"x" * 5000)[:-8] + bytes(8), "damaged"),
    ("gzip of nothing but headers", lambda: b"\x1f\x8b\x08\0\0\0\0\0\0\3", "damaged"),
    ("a hundred thousand empty gzip members", lambda: gzip.compress(b"") * 100_000, ""),
    ("no gzip at all", lambda: b"<a/>" * 50, "damaged"),
]
