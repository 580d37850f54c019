"""The searches that values of a record link to."""

import pytest

from aggregator.query.field_searches import (
    by_creator,
    by_journal,
    by_publisher,
    by_series,
    by_subject,
    by_word,
    display_name,
)
from metadata.record import BibliographicRecord, Host, Subject


@pytest.mark.parametrize(
    ("name", "displayed"),
    [
        ("夏目, 漱石, 1867-1916", "夏目漱石"),
        ("佐々木, マキ", "佐々木マキ"),
        ("ドイル, アーサー・コナン, 1859-1930", "ドイル, アーサー・コナン"),
        ("Keene, Donald, 1922-2019", "Keene, Donald"),
        ("国立国会図書館", "国立国会図書館"),
    ],
)
def test_display_name_drops_dates_and_japanese_comma(name, displayed):
    assert display_name(name) == displayed


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (by_creator("Smith, John, 1950-"), "?creator=Smith%2C+John"),
        (by_publisher("株式会社例社"), "?publisher=%E4%BE%8B%E7%A4%BE"),
        (by_publisher("(株)"), "?publisher=%28%E6%A0%AA%29"),
        (by_subject(Subject(value="913.6", scheme="NDC10")), "?ndc=913.6"),
        (by_subject(Subject(value="913.6/A", scheme="NDC10")), "?subject=913.6%2FA"),
        (by_subject(Subject(value="M159", scheme="NDLC")), "?subject=M159"),
        (by_series("Lecture notes ; 12"), "?q=Lecture+notes"),
        (by_journal(BibliographicRecord(host=Host(title="図書"))), "?journal=%E5%9B%B3%E6%9B%B8"),
        (by_journal(BibliographicRecord()), ""),
        (by_word("a\x00b\nc"), "?q=a+b+c"),
        (by_word("x" * 500), "?q=" + "x" * 200),
    ],
)
def test_query_string_of_a_value(query, expected):
    assert query == expected
