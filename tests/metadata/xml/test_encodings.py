"""Proposals for the encoding of documents that declare a wrong one."""

import pytest

from metadata.xml.encodings import Guess, guess_encoding, is_japanese


def records(*titles: bytes) -> bytes:
    return b"<list>" + b"".join(b"<record><title>" + title + b"</title></record>" for title in titles) + b"</list>"


@pytest.mark.parametrize(
    ("titles", "encoding"),
    [
        (["図書館の本", "吾輩は猫である", "①"], "cp932"),
        (["図書館の本", "吾輩は猫である", "plain"], "EUC-JP"),
        (["図書館の本", "吾輩は猫である", "plain"], "ISO-2022-JP"),
        (["Les misérables", "Über allen Gipfeln", "plain"], "cp1252"),
    ],
)
def test_the_encoding_of_all_records_is_proposed(titles, encoding):
    assert guess_encoding(records(*(title.encode(encoding) for title in titles))) == Guess(encoding, 3, 3)


def test_an_encoding_that_only_some_records_fit_is_proposed_with_their_number():
    titles = ["図書館の本".encode("cp932"), "猫".encode("cp932"), b"\xff\xff\x82\x81\x8d"]
    assert guess_encoding(records(*titles)) == Guess("cp932", 2, 3)


def test_nothing_is_proposed_where_nothing_fits():
    assert guess_encoding(records(b"\xff\x81\x8d")) == Guess("", 0, 1)


@pytest.mark.parametrize("title", [b"caf\xe9s", b"25\xb0C", b"plain"])
def test_a_single_byte_is_no_sign_of_a_japanese_encoding(title):
    assert not is_japanese(records(title, b"plain"))
    assert is_japanese(records("本".encode("cp932")))
