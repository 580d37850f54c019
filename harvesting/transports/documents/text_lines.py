"""Reads lines of bounded length from bytes in any encoding. No knowledge of formats."""

import codecs
import io
from collections import deque
from typing import IO

from harvesting.transports.documents.elements import CHUNK, codec_name
from harvesting.transports.documents.entries import Report
from harvesting.transports.documents.formats import BOMS
from harvesting.types import TransportError

MAX_LINE_LENGTH = 1024 * 1024  # characters
# Encodings of Japanese systems, in the order in which they can be distinguished.
_GUESSED_ENCODINGS = ("cp932", "euc_jp")


def encoding_of(stream: IO[bytes], declared: str, report: Report) -> str:
    """Return the encoding in which the whole file can be decoded.

    declared: the registered encoding, "" for none; it is then found by the byte order mark, or by trying UTF-8,
    Shift_JIS (cp932) and EUC-JP. TransportError "file.encoding" if none fits.
    """
    if declared:
        name = codec_name(declared)
        if not _is_decodable(stream, name):
            raise _encoding_error(declared)
        return name
    stream.seek(0)
    start = stream.read(4)
    for bom, name in BOMS.items():
        if start.startswith(bom):
            return name
    for name in ("utf-8", *_GUESSED_ENCODINGS):
        if _is_decodable(stream, name):
            if name != "utf-8":
                report.note("file.encoding_guessed", encoding="Shift_JIS" if name == "cp932" else "EUC-JP")
            return name
    raise _encoding_error("UTF-8, Shift_JIS, EUC-JP")


def _is_decodable(stream: IO[bytes], name: str) -> bool:
    stream.seek(0)
    decode = codecs.getincrementaldecoder(name)("strict").decode
    try:
        while chunk := stream.read(CHUNK):
            decode(chunk)
        decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _encoding_error(encoding: str) -> TransportError:
    return TransportError(f"not in {encoding}", "file.encoding", permanent=True, encoding=encoding[:100])


class LineTooLong(Exception):
    """A line had more than MAX_LINE_LENGTH characters and was skipped."""


class Lines:
    """Iterates over lines, with their line ends; lines can be put back. Raises LineTooLong.

    number: of the line returned last, from 1. read_since_mark: the lines read since `mark`.
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        stream.seek(0)
        self._text = io.TextIOWrapper(stream, encoding=encoding, errors="strict", newline="")
        self._pending: deque[str] = deque()
        self.number = 0
        self.read_since_mark: list[str] = []  # since `mark`

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._pending.popleft() if self._pending else self._read()
        if not line:
            raise StopIteration
        self.number += 1
        self.read_since_mark.append(line)
        return line

    def mark(self) -> None:
        """Start remembering the lines read, so that they can be put back."""
        self.read_since_mark = []

    def put_back(self, keep: int) -> None:
        """Put back all lines since the mark except the first `keep`; they will be read again."""
        returned = self.read_since_mark[keep:]
        self._pending.extendleft(reversed(returned))
        self.number -= len(returned)
        self.read_since_mark = self.read_since_mark[:keep]

    @property
    def at_end(self) -> bool:
        """Whether no line follows."""
        if not self._pending:
            try:
                line = self._read()
            except LineTooLong:
                return False
            if line:
                self._pending.append(line)
        return not self._pending

    def detach(self) -> None:
        """Release the stream, which stays open."""
        self._text.detach()

    def _read(self) -> str:
        line = self._text.readline(MAX_LINE_LENGTH)
        if len(line) < MAX_LINE_LENGTH or line.endswith(("\n", "\r")):
            return line
        while (part := self._text.readline(MAX_LINE_LENGTH)) and not part.endswith(("\n", "\r")):
            pass
        self.number += 1
        raise LineTooLong
