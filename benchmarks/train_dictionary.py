"""Trains the zstd dictionaries with which payloads and canonical records are stored.

    python3 run.py bench train_dictionary

They are trained on the generated and demo records only. A released dictionary is never changed or removed, because
stored rows need it; a better one gets the next number and is used for new rows.
"""

import argparse
import random
from collections.abc import Iterable, Iterator
from itertools import chain

import zstandard

from harvesting.records.compression import FOLDER
from metadata.reading import read
from metadata.record import encode_record
from sampleprovider.demo.small import demo_sources
from sampleprovider.generator import GeneratedRecords

SIZE = 64 * 1024
SAMPLES = 6000


def payloads() -> Iterator[bytes]:
    """Yield the XML of generated and demo records in every format."""
    for record in chain(GeneratedRecords(SAMPLES), chain.from_iterable(source.holdings for source in demo_sources())):
        for prefix in record.payloads:
            yield record.payloads[prefix]


def records(samples: list[bytes]) -> Iterator[bytes]:
    """Yield the canonical records read from the samples, encoded."""
    for payload in samples:
        reading = read(payload, "")
        if reading.record:
            yield encode_record(reading.record)


def train(kind: str, found: Iterable[bytes], number: int = 1) -> None:
    samples: list[bytes | bytearray | memoryview] = list(found)
    random.Random(1).shuffle(samples)  # so that both halves contain every format
    dictionary = zstandard.train_dictionary(SIZE, samples[::2], level=3)
    (FOLDER / f"{kind}-{number}.zdict").write_bytes(dictionary.as_bytes())
    compressor = zstandard.ZstdCompressor(level=3, dict_data=dictionary)
    unseen = samples[1::2]
    packed = sum(len(compressor.compress(sample)) for sample in unseen)
    print(
        f"{kind}: {len(unseen)} unseen samples, {sum(map(len, unseen)) / len(unseen):.0f} bytes on average, "
        f"{packed / len(unseen):.0f} packed"
    )


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python3 run.py bench train_dictionary", description=__doc__).parse_args()
    found = list(payloads())
    train("payload", found)
    train("record", records(found))
