"""Generated records: deterministic, distinct, with valid check digits and a known share of second descriptions."""

import pytest
from lxml import etree
from stdnum import isbn

from metadata.reading import read
from sampleprovider.books import MAX_BOOKS, book, book_number
from sampleprovider.generator import MAX_RECORDS, GeneratedRecords, described_book, descriptions, generated_source

NUMBERS = [*range(20_000), *range(20_000, 1_000_000, 997), MAX_BOOKS - 1]


def test_titles_with_volume_and_isbns_are_distinct() -> None:
    books = [book(number) for number in NUMBERS]
    assert len({(made.title, made.volume) for made in books}) == len(books)
    assert len({made.isbn for made in books}) == len(books)


def test_isbns_are_valid_and_identify_the_book() -> None:
    for number in NUMBERS[::41]:
        assert isbn.is_valid(book(number).isbn)
        assert book_number(book(number).isbn) == number


def test_two_volumes_differ_only_in_volume_and_isbn() -> None:
    first, second = book(17 * 3 + 5), book(17 * 3 + 6)
    assert (first.volume[0], second.volume[0]) == ("上", "下")
    assert first[1:3] == second[1:3]
    assert first.publisher == second.publisher
    assert first.isbn != second.isbn


def test_fifteen_percent_describe_a_book_again() -> None:
    described = [described_book(index) for index in range(20_000)]
    repeated = [number for number, is_second in described if is_second]
    assert len(repeated) == 3000
    assert len(set(repeated)) == len(repeated)
    assert set(repeated) <= {number for number, is_second in described if not is_second}


def test_descriptions_is_the_inverse_of_described_book() -> None:
    for number in range(500):
        assert {described_book(index)[0] for index in descriptions(number)} == {number}


def test_the_same_index_is_always_the_same_record() -> None:
    one, other = GeneratedRecords(100), GeneratedRecords(100_000)
    assert one[42].payloads["dcndl"] == other[42].payloads["dcndl"]
    assert one[42] == other[42]


def test_records_are_well_formed_and_as_large_as_real_ones() -> None:
    payloads = [record.payloads["dcndl"] for record in GeneratedRecords(2000)]
    for payload in payloads:
        etree.fromstring(payload)
    assert 4000 < sum(map(len, payloads)) / len(payloads) < 4700


@pytest.mark.parametrize("prefix", ["dcndl", "oai_dc"])
def test_no_record_is_rejected_and_all_have_the_facts_of_the_book(prefix: str) -> None:
    for index, record in enumerate(GeneratedRecords(400)):
        described = read(record.payloads[prefix], prefix).record
        expected = book(described_book(index)[0])
        assert described is not None
        assert described.year == str(expected.year)
        assert set(described.values("ISBN")) <= {expected.isbn}


def test_the_list_is_sorted() -> None:
    keys = [record.key for record in GeneratedRecords(5000)]
    assert keys == sorted(keys)


def test_a_million_records_are_made_only_on_access() -> None:
    records = generated_source(1_000_000).holdings
    record = records.find("oai:generated.example:000999999")
    assert record is not None
    assert records.find("000999999") == record
    assert records.find("oai:generated.example:001000000") is None
    assert records.find("oai:generated.example:²") is None


@pytest.mark.parametrize("count", [0, -1, MAX_RECORDS + 1])
def test_impossible_counts_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match=str(MAX_RECORDS)):
        generated_source(count)
