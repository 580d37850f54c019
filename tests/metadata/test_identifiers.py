"""Normal forms of identifiers, refusals, and recognition in untyped text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import isbn as stdnum_isbn

from metadata import identifiers
from metadata.identifiers import hyphenate, isbn10, normalise, recognise


@pytest.mark.parametrize(
    "text",
    [
        "9784003101018",
        "978-4-00-310101-8",
        "4003101014",
        "4-00-310101-4",
        "９７８－４－００－３１０１０１－８",
        "４００３１０１０１４",
        " 978 4 00 310101 8 ",
        "ISBN4-00-310101-4",
        "ISBN-13: 978-4-00-310101-8",
        "urn:isbn:9784003101018",
        "4-00-310101-4 (上)",
        "978‐4‐00‐310101‐8",
    ],
)
def test_all_spellings_of_an_isbn_have_one_normal_form(text: str) -> None:
    assert normalise("ISBN", text) == normalise("SetISBN", text) == "9784003101018"


@pytest.mark.parametrize(
    "text",
    [
        "9784003101019",
        "4003101015",
        "003101014",
        "400310101",
        "978400310101",
        "9774003101011",
        "",
        "ISBN",
        "97840031010１X",
        "٩٧٨٤٠٠٣١٠١٠١٨",
    ],
)
def test_other_text_is_refused_as_isbn(text: str) -> None:
    assert normalise("ISBN", text) == ""


def test_the_check_character_x_may_be_lower_case() -> None:
    assert normalise("ISBN", "0-8044-2957-x") == "9780804429573"


@given(st.text(alphabet="0123456789X", min_size=9, max_size=13) | st.from_regex(r"97[89][0-9]{10}", fullmatch=True))
def test_isbns_are_validated_as_by_python_stdnum(text: str) -> None:
    expected = stdnum_isbn.to_isbn13(text) if len(text) != 9 and stdnum_isbn.is_valid(text) else ""
    assert normalise("ISBN", text) == expected


@pytest.mark.parametrize(
    ("scheme", "text", "value"),
    [
        ("ISSN", "0028-0836", "00280836"),
        ("ISSNL", "２４３４-561x", "2434561X"),
        ("ISSN", "0028-0837", ""),
        ("DOI", "https://doi.org/10.1234/ABC", "10.1234/abc"),
        ("DOI", "info:doi/10.11501/3456", "10.11501/3456"),
        ("DOI", "not a DOI", ""),
        ("JPNO", "JP21234567", "21234567"),
        ("NDLBibID", " 000001234567 ", "000001234567"),
        ("NIIBibID", "ba1234567x", "BA1234567X"),
        ("NCID", "BA 1234 !", ""),
        ("TRCMARCNO", " 12345 ", "12345"),
        ("", "  anything ", "anything"),
    ],
)
def test_normal_forms_by_scheme(scheme: str, text: str, value: str) -> None:
    assert normalise(scheme, text) == value


@pytest.mark.parametrize(
    ("text", "scheme", "value"),
    [
        ("urn:isbn:9784003101018", "ISBN", "9784003101018"),
        ("ISBN4-00-310101-4", "ISBN", "9784003101018"),
        ("http://iss.ndl.go.jp/isbn/9784003101018", "ISBN", "9784003101018"),
        ("4003101014", "ISBN", "9784003101018"),
        ("978-4-00-310101-8", "ISBN", "9784003101018"),
        ("ISSN 0028-0836", "ISSN", "00280836"),
        ("urn:issn:0028-0836", "ISSN", "00280836"),
        ("0028-0836", "ISSN", "00280836"),
        ("https://doi.org/10.1234/ABC", "DOI", "10.1234/abc"),
        ("info:doi/10.1234/ABC", "DOI", "10.1234/abc"),
        ("doi: 10.1234/ABC", "DOI", "10.1234/abc"),
        ("10.1234/ABC", "DOI", "10.1234/abc"),
        ("https://ci.nii.ac.jp/ncid/BA12345678", "NIIBibID", "BA12345678"),
        ("http://id.ndl.go.jp/jpno/21234567", "JPNO", "21234567"),
        ("JP21234567", "JPNO", "21234567"),
    ],
)
def test_identifiers_are_recognised(text: str, scheme: str, value: str) -> None:
    assert recognise(text) == (scheme, value)


@pytest.mark.parametrize(
    "text",
    [
        "12345",
        "1234567890",
        "9781234567890",
        "ISBN",
        "ISBN 12",
        "oai:example.jp:1",
        "http://hdl.handle.net/2065/1",
        "JPN 1",
        "",
    ],
)
def test_other_text_is_unchanged(text: str) -> None:
    assert recognise(f" {text} ") == ("", text)


@given(st.text())
def test_recognition_never_fails_and_gives_normal_forms(text: str) -> None:
    scheme, value = recognise(text)
    assert normalise(scheme, value) == value


def test_only_isbns_with_978_have_an_isbn10() -> None:
    assert isbn10("9784003101018") == "4003101014"
    assert isbn10("9780804429573") == "080442957X"
    assert isbn10("9791034700004") == isbn10("") == ""


def test_hyphens_follow_the_range_table() -> None:
    assert hyphenate("9784003101018") == "978-4-00-310101-8"
    assert hyphenate("") == ""


@given(st.sampled_from(["978", "979", "9784"]), st.text("0123456789", min_size=10, max_size=10))
def test_hyphens_are_where_stdnum_puts_them(start: str, digits: str) -> None:
    number = f"{start}{digits}"[:13]
    assert hyphenate(number) == stdnum_isbn.format(number)


def test_hyphens_are_where_stdnum_puts_them_at_the_ends_of_all_ranges() -> None:
    starts = [int(start) for start in identifiers._starts()]
    assert len(starts) > 1000
    for number in {f"{start + step:012}0" for start in starts[1:-1] for step in (-1, 0)}:
        assert hyphenate(number) == stdnum_isbn.format(number)
