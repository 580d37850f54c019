"""Lines of text out of bytes in whatever encoding, each of bounded length. Knows no format."""

import codecs
import io
from collections import deque
from typing import IO

from harvesting.transports.documents.elements import CHUNK, decoder
from harvesting.transports.documents.entries import Report
from harvesting.transports.documents.formats import BOMS
from harvesting.types import TransportError

LONGEST = 1024 * 1024  # characters of a line
# What Japanese systems write, in the order in which it can be told from the others.
_GUESSED = ("cp932", "euc_jp")


def encoding_of(stream: IO[bytes], declared: str, report: Report) -> str:
    """The encoding of the whole file: as registered, by its first bytes, UTF-8, or what else it can be read in.

    TransportError "file.encoding" where it is in none.
    """
    if declared:
        name = decoder(declared)
        if not _reads(stream, name):
            raise _unreadable(declared)
        return name
    stream.seek(0)
    start = stream.read(4)
    for bom, name in BOMS.items():
        if start.startswith(bom):
            return name
    for name in ("utf-8", *_GUESSED):
        if _reads(stream, name):
            if name != "utf-8":
                report.note("file.encoding_guessed", encoding="Shift_JIS" if name == "cp932" else "EUC-JP")
            return name
    raise _unreadable("UTF-8, Shift_JIS, EUC-JP")


def _reads(stream: IO[bytes], name: str) -> bool:
    stream.seek(0)
    decode = codecs.getincrementaldecoder(name)("strict").decode
    try:
        while chunk := stream.read(CHUNK):
            decode(chunk)
        decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _unreadable(encoding: str) -> TransportError:
    return TransportError(f"not in {encoding}", "file.encoding", permanent=True, encoding=encoding[:100])


class LineTooLong(Exception):
    """A line of more than LONGEST characters; it has been passed over."""


class Lines:
    """Lines with their ends; some can be put back. number: of the line given last, from 1."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        stream.seek(0)
        self._text = io.TextIOWrapper(stream, encoding=encoding, errors="strict", newline="")
        self._waiting: deque[str] = deque()
        self.number = 0
        self.given: list[str] = []  # since `mark`

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else self._read()
        if not line:
            raise StopIteration
        self.number += 1
        self.given.append(line)
        return line

    def mark(self) -> None:
        """From here on lines are remembered, to be put back."""
        self.given = []

    def put_back(self, kept: int) -> None:
        """All lines since the mark but the first `kept` come again."""
        back = self.given[kept:]
        self._waiting.extendleft(reversed(back))
        self.number -= len(back)
        self.given = self.given[:kept]

    @property
    def at_end(self) -> bool:
        """Whether nothing follows."""
        if not self._waiting:
            try:
                line = self._read()
            except LineTooLong:
                return False
            if line:
                self._waiting.append(line)
        return not self._waiting

    def detach(self) -> None:
        """Let go of the stream, which stays open."""
        self._text.detach()

    def _read(self) -> str:
        line = self._text.readline(LONGEST)
        if len(line) < LONGEST or line.endswith(("\n", "\r")):
            return line
        while (part := self._text.readline(LONGEST)) and not part.endswith(("\n", "\r")):
            pass
        self.number += 1
        raise LineTooLong
