"""Requests are filled from records, also from real ones of many providers."""

import pytest

from aggregator.libraries.holdings import Copy
from aggregator.loans.fill import Libraries, filled
from aggregator.loans.request import TITLE, LoanRequest, Party, bounded
from aggregator.loans.states import Kind
from metadata.record import Agent, BibliographicRecord, Host, Identifier, Item, MaterialType, Title
from tests.aggregator.loans.examples import BOOK, COPIES, SAMPLE_FOLDERS, SOURCE, sample_records


def test_a_book_is_requested_as_a_loan() -> None:
    borrower, lender = Party(name="見本市立図書館"), Party(name="大阪府立中央図書館")
    assert filled(BOOK, COPIES, SOURCE, Libraries(borrower, lender)) == LoanRequest(
        title="銀河鉄道の夜",
        reading="ギンガ テツドウ ノ ヨル",
        volume="上",
        edition="新版",
        series="見本文庫 ; 12",
        author="宮沢, 賢治 ; 見本, 太郎",
        publisher="見本書房",
        place="東京",
        year="1989",
        isbns=("9784003101018",),
        jpno="90012345",
        ncid="BN01234567",
        record_id="1234-5X",
        somoku_bib_id="1234-5X",
        somoku_sub_id="9876",
        call_number="913.6/ミ",
        location="書庫",
        source=SOURCE,
        borrower=borrower,
        lender=lender,
    )


def test_an_article_is_requested_as_a_copy_from_its_journal() -> None:
    host = Host(title="図書館雑誌", volume="12", number="3", pages="45-52", issn=("03854000",))
    article = BibliographicRecord(
        titles=(Title(value="相互貸借の現在"),),
        creators=(Agent(name="見本, 花子"),),
        issued="2001",
        host=host,
        material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Article"),),
    )
    request = filled(article, (), SOURCE)
    assert (request.kind, request.title, request.article) == (Kind.COPY, "図書館雑誌", "相互貸借の現在")
    assert (request.article_author, request.author) == ("見本, 花子", "")
    assert (request.article_volume, request.issue, request.pages) == ("12", "3", "45-52")
    assert (request.issn, request.year) == ("03854000", "2001")


def test_a_journal_is_requested_as_a_copy_with_what_the_library_has_of_it() -> None:
    journal = BibliographicRecord(
        titles=(Title(value="図書館雑誌"),),
        identifiers=(Identifier(scheme="ISSN", value="03854000"),),
        material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Journal"),),
    )
    copies = [Copy(record="R1-I1", item=Item(holding_issues=issues)) for issues in ("1-40", "", "42-50", "1-40")]
    request = filled(journal, copies, SOURCE)
    assert (request.kind, request.issn, request.holdings) == (Kind.COPY, "03854000", "1-40 ; 42-50")


def test_the_copy_that_may_leave_the_library_is_named() -> None:
    here = Copy(record="R1-I1", item=Item(call_number="R913", availability="禁帯出"))
    away = Copy(record="R1-I1", item=Item(call_number="913", availability="帯出可"))
    assert filled(BOOK, [here, away], SOURCE).call_number == "913"
    assert filled(BOOK, [here], SOURCE).call_number == "R913"


def test_the_records_own_number_serves_if_there_is_only_one() -> None:
    numbers = (Identifier(value="000001"), Identifier(value="000002"), Identifier(scheme="OCLC", value="9"))
    assert filled(BibliographicRecord(source_identifiers=numbers[1:]), (), SOURCE).record_id == "000002"
    assert filled(BibliographicRecord(source_identifiers=numbers), (), SOURCE).record_id == ""


def test_an_empty_record_makes_an_empty_request() -> None:
    assert filled(BibliographicRecord(), (), "") == LoanRequest()


def test_more_than_three_authors_are_shortened() -> None:
    record = BibliographicRecord(creators=tuple(Agent(name=f"著者{number}") for number in range(5)))
    assert filled(record, (), "").author == "著者0 ; 著者1 ; 著者2 ほか"


@pytest.mark.parametrize("folder", SAMPLE_FOLDERS)
def test_real_records_of_every_kind_fill_a_request(samples, folder) -> None:
    records = sample_records(samples, folder)
    assert len(records) >= 10
    for record in records:
        request = filled(record, [Copy(record="", item=item) for item in record.items], SOURCE)
        assert request.title or not record.title
        assert request == bounded(request)
        assert set(request.isbns) <= {*record.values("ISBN"), *record.values("SetISBN")} or request.article
        assert bool(request.article) == bool(record.host.title and request.title != record.title)
        assert request.call_number in {"", *(item.call_number[:TITLE] for item in record.items)} | {
            item.local_call_number for item in record.items
        }
