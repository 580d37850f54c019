"""Trains the zstd dictionaries with which payloads and canonical records are stored.

    python3 run.py bench train_dictionary payload record dcndl jpcoar

They are trained on the generated and demo records only. A released dictionary is never changed or removed, because
stored rows need it; a better one gets the next number and is used for new rows. The name of a format means the dictionary
of the documents that its writer makes, in all its versions: it is used as soon as the file is there.
"""

import argparse
import random
from collections.abc import Iterable, Iterator
from itertools import chain

import zstandard

from harvesting.records.compression import FOLDER, LEVEL, WRITTEN_LEVEL
from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import BibliographicRecord, encode_record
from sampleprovider.demo.small import demo_sources
from sampleprovider.generator import GeneratedRecords

SIZE = 64 * 1024
SIZE_WRITTEN = 8 * 1024  # what helps in one format; a larger one hardly makes its documents smaller
SAMPLES = 6000


def payloads() -> Iterator[bytes]:
    """Yield the XML of generated and demo records in every format."""
    for record in chain(GeneratedRecords(SAMPLES), chain.from_iterable(source.holdings for source in demo_sources())):
        for prefix in record.payloads:
            yield record.payloads[prefix]


def records(samples: list[bytes]) -> list[BibliographicRecord]:
    """Return the canonical records read from the samples."""
    return [record for payload in samples if (record := read(payload, "").record)]


def documents(prefix: str, found: list[BibliographicRecord]) -> Iterator[bytes]:
    """Yield the records in a format, as /oai gives them: with the address of the schema."""
    writer = WRITERS[prefix]
    location = f' xsi:schemaLocation="{writer.namespace} {writer.schema}">'.encode()
    for record in found:
        start, _end, rest = writer.write(record).partition(b"?>\n")[2].partition(b">")
        yield start + location + rest


def train(kind: str, found: Iterable[bytes], size: int = SIZE, level: int = LEVEL, number: int = 1) -> None:
    samples: list[bytes | bytearray | memoryview] = list(found)
    random.Random(1).shuffle(samples)  # so that both halves contain every format
    dictionary = zstandard.train_dictionary(size, samples[::2], level=level)
    (FOLDER / f"{kind}-{number}.zdict").write_bytes(dictionary.as_bytes())
    compressor = zstandard.ZstdCompressor(level=level, dict_data=dictionary)
    unseen = samples[1::2]
    packed = sum(len(compressor.compress(sample)) for sample in unseen)
    print(
        f"{kind}: {len(unseen)} unseen samples, {sum(map(len, unseen)) / len(unseen):.0f} bytes on average, "
        f"{packed / len(unseen):.0f} packed"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python3 run.py bench train_dictionary", description=__doc__)
    parser.add_argument("kinds", nargs="+", choices=("payload", "record", *WRITERS))
    kinds = parser.parse_args().kinds
    found = list(payloads())
    if "payload" in kinds:
        train("payload", found)
    read_records = records(found)
    if "record" in kinds:
        train("record", map(encode_record, read_records))
    for prefix in filter(WRITERS.__contains__, kinds):
        train(f"written-{prefix}", documents(prefix, read_records), SIZE_WRITTEN, WRITTEN_LEVEL)
