"""RIS: the rules for lines, and the content of the tags."""

import re

import pytest
from hypothesis import given
from msgspec import structs

from metadata.citations.ris import write
from metadata.record import Agent, BibliographicRecord, File, Title
from tests.metadata.citations.examples import ALL, ARTICLE, BOTCHAN, CHAPTER, DATASET, JOURNAL, PAGE, THESIS
from tests.metadata.records import RECORD

LINE = re.compile(r"[A-Z][A-Z0-9]  - [^\x00-\x1f\x85\u2028\u2029]*")


def lines(record: BibliographicRecord) -> list[tuple[str, str]]:
    text = write(record).decode()
    assert text.endswith("\r\n")
    return [(line[:2], line[6:]) for line in text.split("\r\n")[:-1]]


def test_a_book():
    assert lines(BOTCHAN) == [
        ("TY", "BOOK"),
        ("AU", "夏目, 漱石"),
        ("ED", "見本, 花子"),
        ("A4", "McClellan, Edwin"),
        ("TI", "坊っちゃん"),
        ("TT", "Botchan"),
        ("T2", "見本文庫"),
        ("PY", "1950"),
        ("DA", "1950/01"),
        ("ET", "改版"),
        ("VL", "上"),
        ("SP", "198"),
        ("PB", "岩波書店"),
        ("CY", "東京"),
        ("SN", "978-4-00-310103-2"),
        ("LA", "ja"),
        ("KW", "日本文学"),
        ("N1", "解説あり"),
        ("UR", PAGE),
        ("ER", ""),
    ]


def test_an_article():
    found = dict(lines(ARTICLE))
    assert (found["TY"], found["T2"], found["VL"], found["IS"]) == ("JOUR", "見本大学紀要", "12", "3")
    assert (found["SP"], found["EP"], found["SN"], found["DO"]) == ("45", "67", "1880-6971", "10.1234/abc_1")
    assert found["AB"] == "一行目 二行目"


def test_a_thesis_has_school_degree_number_and_supervisor():
    found = dict(lines(THESIS))
    assert (found["TY"], found["PB"], found["M3"]) == ("THES", "見本大学", "博士（理学）")
    assert (found["IS"], found["N1"], found["PY"]) == ("甲第5384号", "Supervisor: 田中, 指導", "1908")


@pytest.mark.parametrize(("record", "kind"), [(JOURNAL, "JFULL"), (DATASET, "DATA"), (CHAPTER, "CHAP")])
def test_other_kinds(record, kind):
    assert lines(record)[0] == ("TY", kind)


def test_an_electronic_book_has_its_own_type_and_a_link_to_the_file():
    found = dict(lines(structs.replace(BOTCHAN, files=(File(uri="https://a.example.jp/1.pdf", type="fulltext"),))))
    assert (found["TY"], found["L1"]) == ("EBOOK", "https://a.example.jp/1.pdf")


def test_a_printed_book_with_the_media_type_of_its_page_is_not_electronic():
    printed = structs.replace(BOTCHAN, extents=("178p ; 15cm",), formats=("text/html",))
    assert lines(printed)[0] == ("TY", "BOOK")


@pytest.mark.parametrize(
    ("name", "responsibility", "expected"),
    [
        ("見本花子 編", (), ("ED", "見本花子")),
        ("見本, 花子, 1970-", ("夏目漱石著 ; 見本花子訳",), ("A4", "見本, 花子")),
        ("見本, 花子", (), ("N1", "見本, 花子")),
    ],
)
def test_a_contributor_has_the_tag_of_its_role_in_the_record(name, responsibility, expected):
    record = BibliographicRecord(
        titles=(Title(value="猫"),),
        creators=(Agent(name="夏目, 漱石"),),
        contributors=(Agent(name=name),),
        responsibility=responsibility,
    )
    assert expected in lines(record)


def test_a_value_cannot_end_a_line_or_the_reference():
    record = BibliographicRecord(
        titles=(Title(value="a\r\nER  - \r\nTY  - JOUR\u2028b\x85c"),), creators=(Agent(name="x\ny"),)
    )
    assert [tag for tag, _value in lines(record)] == ["TY", "AU", "TI", "ER"]


@given(RECORD)
def test_any_record_follows_the_rules_for_lines(record):
    text = write(record).decode()
    found = text.removesuffix("\r\n").split("\r\n")
    assert all(map(LINE.fullmatch, found)), found
    tags = [line[:2] for line in found]
    assert (tags[0], tags[-1], tags.count("TY"), tags.count("ER")) == ("TY", "ER", 1, 1)


@pytest.mark.parametrize("record", ALL, ids=lambda record: record.title)
def test_rispy_can_read_the_reference(record):
    rispy = pytest.importorskip("rispy")
    [found] = rispy.loads(write(record).decode())
    assert found["title"] == record.title
