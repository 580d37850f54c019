"""Compression of payloads and canonical records for their columns, and of written documents for a cache: zstd (RFC
8878) with trained dictionaries. No Django.

A compressed frame names its dictionary by id. Therefore a released dictionary file must never be removed or changed,
and a new one is only used for new rows. `benchmarks/train_dictionary.py` makes them.
"""

import threading
from collections.abc import Buffer, Callable
from pathlib import Path

import zstandard

from metadata.record import BibliographicRecord, decode_record, encode_record

FOLDER = Path(__file__).parent / "dictionaries"
LEVEL = 3
WRITTEN_LEVEL = 1  # a cache loses its entries: a tenth more bytes for a fifth less time
MAX_SIZE = 64 * 1024 * 1024  # bytes that a frame may unpack to; nothing larger is ever packed

_BY_NAME = {path.stem: zstandard.ZstdCompressionDict(path.read_bytes()) for path in sorted(FOLDER.glob("*.zdict"))}
_BY_ID = {dictionary.dict_id(): dictionary for dictionary in _BY_NAME.values()}
# The dictionaries for new rows, with their levels. Those of documents: each for a format in all its versions.
_CURRENT = {"payload": ("payload-1", LEVEL), "record": ("record-1", LEVEL)} | {
    name.rpartition("-")[0]: (name, WRITTEN_LEVEL) for name in _BY_NAME if name.startswith("written-")
}
for _name, _level in _CURRENT.values():
    _BY_NAME[_name].precompute_compress(level=_level)  # prepares the dictionary once instead of for every record


class _PerThread(threading.local):
    """Compressors and decompressors of one thread: zstandard does not allow threads to share them."""

    def __init__(self) -> None:
        self.compressors = {
            kind: zstandard.ZstdCompressor(level=level, dict_data=_BY_NAME[name])
            for kind, (name, level) in _CURRENT.items()
        }
        self.decompressors = {
            number: zstandard.ZstdDecompressor(dict_data=dictionary) for number, dictionary in _BY_ID.items()
        }
        self.decompressors[0] = zstandard.ZstdDecompressor()  # for frames without a dictionary


_local = _PerThread()


def _unpack(data: Buffer) -> bytes:
    frame = bytes(data)
    number = zstandard.get_frame_parameters(frame).dict_id
    return _local.decompressors[number].decompress(frame, max_output_size=MAX_SIZE)


def pack_payload(payload: bytes) -> bytes:
    """Compress a payload; b"" stays b""."""
    return _local.compressors["payload"].compress(payload) if payload else b""


def unpack_payload(data: Buffer) -> bytes:
    """Undo `pack_payload`. Raises KeyError if the dictionary of the frame is missing."""
    return _unpack(data) if data else b""


def document_packer(prefix: str) -> Callable[[bytes], bytes]:
    """Return what compresses documents in a format for a cache, for this thread only; `unpack_payload` undoes it."""
    compressors = _local.compressors
    kinds = (f"written-{name}" for name in (prefix, prefix.rpartition("_")[0]))
    return compressors[next(filter(compressors.__contains__, kinds), "payload")].compress


def pack_record(record: BibliographicRecord) -> bytes:
    """Encode a canonical record as MessagePack and compress it."""
    return pack_encoded(encode_record(record))


def pack_encoded(data: bytes) -> bytes:
    """Compress a record, or parts of one, that is encoded as MessagePack already."""
    return _local.compressors["record"].compress(data)


def unpack_encoded(data: Buffer) -> bytes:
    """Undo `pack_encoded`; b"" stays b""."""
    return _unpack(data) if data else b""


def unpack_record(data: Buffer) -> BibliographicRecord:
    """Undo `pack_record`."""
    return decode_record(_unpack(data))
