"""Compression: what is packed comes back, and every format of /oai has a dictionary of its own."""

import pytest
import zstandard

from aggregator.provision.oai.records import prefixes
from harvesting.records import compression
from harvesting.records.compression import document_packer, unpack_payload
from metadata.formats import WRITERS
from metadata.record import BibliographicRecord, Title

RECORD = BibliographicRecord(titles=(Title(value="土佐日記"),))


@pytest.mark.parametrize("prefix", prefixes())
def test_a_document_comes_back_and_was_packed_with_a_dictionary_for_its_format(prefix: str) -> None:
    document = WRITERS[prefix].write(RECORD)
    packed = document_packer(prefix)(document)
    assert unpack_payload(packed) == document
    assert prefix.startswith(_dictionary_of(packed).removeprefix("written-").removesuffix("-1"))


def test_a_format_without_a_dictionary_has_that_of_payloads() -> None:
    packed = document_packer("rss")(b"<rss/>")
    assert unpack_payload(packed) == b"<rss/>"
    assert _dictionary_of(packed) == "payload-1"


def _dictionary_of(packed: bytes) -> str:
    number = zstandard.get_frame_parameters(packed).dict_id
    return next(name for name, dictionary in compression._BY_NAME.items() if dictionary.dict_id() == number)


def test_no_two_dictionaries_have_the_same_number() -> None:
    assert len(compression._BY_ID) == len(compression._BY_NAME)
