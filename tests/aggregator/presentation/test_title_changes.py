"""Earlier and later titles of a serial that the catalogue has, on its page; issues held by libraries."""

import pytest

from aggregator.presentation import title_changes as module
from aggregator.search.base import IndexUnavailable
from metadata.record import BibliographicRecord, Host, Identifier, Item, MaterialType, Relation, Title
from tests.aggregator.shelves import book_id

JOURNAL = (MaterialType(uri="http://ndl.go.jp/ndltype/Journal"),)
ARTICLE = (MaterialType(uri="http://ndl.go.jp/ndltype/Article"),)
OLD, NEW = "03854914", "04887484"


def serial(title: str, *numbers: tuple[str, str], **fields: object) -> BibliographicRecord:
    identifiers = tuple(Identifier(scheme=scheme, value=value) for scheme, value in numbers)
    return BibliographicRecord(
        titles=(Title(value=title),), identifiers=identifiers, **{"material_types": JOURNAL, **fields}
    )


@pytest.fixture
def put(shelf, library):
    """Put a record on the shelf; return the address of its book."""

    def put(record: BibliographicRecord) -> str:
        source = shelf.record(library, record)
        shelf.book(source, record=record)
        return f"/books/{book_id(source)}"

    return put


def test_the_earlier_and_the_later_title_are_linked(client, put):
    earlier = put(serial("旧雑誌", ("ISSNL", OLD), volume_ranges=("1号-20号",)))
    later = put(serial("新雑誌", ("NDLBibID", "000010932075")))
    relations = (
        Relation(type="replaces", label="改題前誌", scheme="ISSN", number="0385-4914"),
        Relation(type="isReplacedBy", uri="https://id.ndl.go.jp/bib/000010932075"),
    )
    page = client.get(put(serial("雑誌", ("ISSN", NEW), relations=relations))).text
    part = page[page.index('id="title-changes"') :]
    assert (
        part.index("継続前誌")
        < part.index(f'href="{earlier}"')
        < part.index("継続後誌")
        < part.index(f'href="{later}"')
    )
    assert "1号-20号" in part


def test_articles_of_the_other_journal_and_the_serial_itself_are_not_linked(client, put):
    put(serial("論文", material_types=ARTICLE, host=Host(title="旧雑誌", issn=("0385-4914",))))
    put(serial("別の雑誌", ("NCNO", "1"), host=Host(title="旧雑誌", issn=("0385-4914",))))
    relations = (Relation(type="replaces", scheme="ISSN", number=number) for number in ("0385-4914", "0488-7484"))
    assert "title-changes" not in client.get(put(serial("雑誌", ("ISSN", NEW), relations=tuple(relations)))).text


def test_a_book_is_not_looked_up(client, put, monkeypatch):
    monkeypatch.setattr(module, "get_index", _away)
    relations = (Relation(type="replaces", scheme="ISSN", number="0385-4914"),)
    assert module.title_changes(1, serial("本", material_types=(), relations=relations)) == ()


def test_the_page_does_without_an_index(client, put, monkeypatch):
    relations = (Relation(type="replaces", scheme="ISSN", number="0385-4914"),)
    address = put(serial("雑誌", ("ISSN", NEW), relations=relations))
    monkeypatch.setattr(module, "get_index", _away)
    assert client.get(address).status_code == 200


def _away():
    raise IndexUnavailable("locked")


def test_issues_held_are_shown_and_combined_for_each_library(client, shelf, library):
    shelf.library("大阪府立中央図書館", "2127")
    items = tuple(
        Item(library_code="2127", location=place, holding_issues=issues, absent_issues="7")
        for place, issues in (("本館", "1-12"), ("書庫", "13-20,22+"))
    )
    record = serial("雑誌", ("ISSN", NEW), items=items)
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    page = client.get(f"/books/{book_id(source)}").text
    assert "1-20,22-" in page and "13-20,22+" in page
    first, _second = client.get(f"/api/records/{book_id(source)}").json()["holdings"]
    assert (first["issues_held"], first["issues_missing"]) == ("1-12", "7")


@pytest.mark.parametrize("address", ["/search", "/api/search"])
def test_an_issn_l_finds_the_serial(client, put, address):
    found = put(serial("雑誌", ("ISSNL", OLD)))
    assert found in client.get(address, {"issn": "0385-4914"}).text
