"""How payloads and canonical records are kept in columns: zstd with a trained dictionary. No Django.

A frame names the dictionary it needs by id, so a dictionary file once released stays for ever and a new one
only serves new rows (`benchmarks/train_dictionary.py` makes them).
"""

import threading
from collections.abc import Buffer
from pathlib import Path

import zstandard

from metadata.record import BibliographicRecord, decode_record, encode_record

FOLDER = Path(__file__).parent / "dictionaries"
LEVEL = 3
MAX_SIZE = 64 * 1024 * 1024  # bytes; nothing larger is ever packed, so nothing larger is unpacked

_BY_NAME = {path.stem: zstandard.ZstdCompressionDict(path.read_bytes()) for path in sorted(FOLDER.glob("*.zdict"))}
_BY_ID = {each.dict_id(): each for each in _BY_NAME.values()}
_CURRENT = {"payload": "payload-1", "record": "record-1"}  # what new rows are written with
for _name in _CURRENT.values():
    _BY_NAME[_name].precompute_compress(level=LEVEL)  # digested once, not for every record


class _PerThread(threading.local):
    """zstandard's objects must not be shared between threads."""

    def __init__(self) -> None:
        self.compressors = {
            kind: zstandard.ZstdCompressor(level=LEVEL, dict_data=_BY_NAME[name]) for kind, name in _CURRENT.items()
        }
        self.decompressors = {number: zstandard.ZstdDecompressor(dict_data=each) for number, each in _BY_ID.items()}
        self.decompressors[0] = zstandard.ZstdDecompressor()


_local = _PerThread()


def _unpack(data: Buffer) -> bytes:
    frame = bytes(data)
    number = zstandard.get_frame_parameters(frame).dict_id
    return _local.decompressors[number].decompress(frame, max_output_size=MAX_SIZE)


def pack_payload(payload: bytes) -> bytes:
    """A payload as stored; b"" stays b""."""
    return _local.compressors["payload"].compress(payload) if payload else b""


def unpack_payload(data: Buffer) -> bytes:
    """The inverse of `pack_payload`. Raises KeyError if the dictionary of the frame is missing."""
    return _unpack(data) if data else b""


def pack_record(record: BibliographicRecord) -> bytes:
    """A canonical record as stored."""
    return pack_encoded(encode_record(record))


def pack_encoded(data: bytes) -> bytes:
    """As `pack_record`, for a record that is in MessagePack already."""
    return _local.compressors["record"].compress(data)


def unpack_record(data: Buffer) -> BibliographicRecord:
    """The inverse of `pack_record`."""
    return decode_record(_unpack(data))
