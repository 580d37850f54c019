"""A request as an OpenURL: the keys, and our own `/openurl` finds the same book."""

from urllib.parse import parse_qs, parse_qsl

import pytest
from msgspec import structs

from aggregator.libraries.holdings import Copy
from aggregator.loans.fill import filled
from aggregator.loans.openurl import form_address, openurl
from aggregator.loans.request import LoanRequest, Party
from aggregator.loans.states import Kind
from aggregator.query.openurl import attempts, read_openurl
from tests.aggregator.loans.examples import BOOK, COPIES, SAMPLE_FOLDERS, SOURCE, sample_records
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

SITE = "https://aggregator.example.jp"
ARTICLE = LoanRequest(
    kind=Kind.COPY,
    title="図書館雑誌",
    issn="03854000",
    article="相互貸借の現在",
    article_author="見本, 花子",
    article_volume="12",
    issue="3",
    pages="pp. 45-52",
    year="2001",
)


def test_a_book_has_the_keys_of_the_book_format_and_asks_for_a_loan() -> None:
    request = structs.replace(filled(BOOK, COPIES, SOURCE), borrower=Party(codes=(("ISIL", "JP-1000001"),)))
    assert parse_qs(openurl(request, SITE)) == {
        "ctx_ver": ["Z39.88-2004"],
        "ctx_enc": ["info:ofi/enc:UTF-8"],
        "svc_val_fmt": ["info:ofi/fmt:kev:mtx:sch_svc"],
        "svc.ill": ["yes"],
        "rft_val_fmt": ["info:ofi/fmt:kev:mtx:book"],
        "rft.genre": ["book"],
        "rft.isbn": ["9784003101018"],
        "rft_id": [SOURCE, "info:ncid/BN01234567"],
        "rft.btitle": ["銀河鉄道の夜"],
        "rft.volume": ["上"],
        "rft.au": ["宮沢, 賢治", "見本, 太郎"],
        "rft.date": ["1989"],
        "rft.pub": ["見本書房"],
        "rft.edition": ["新版"],
        "rft.series": ["見本文庫 ; 12"],
        "rft.place": ["東京"],
        "rfr_id": ["info:sid/aggregator.example.jp"],
        "req_id": ["https://aggregator.example.jp/libraries/JP-1000001"],
    }


def test_an_article_has_the_keys_of_the_journal_format() -> None:
    keys = dict(parse_qsl(openurl(ARTICLE, SITE)))
    assert keys["rft_val_fmt"] == "info:ofi/fmt:kev:mtx:journal"
    assert (keys["rft.genre"], keys["rft.jtitle"], keys["rft.atitle"]) == ("article", "図書館雑誌", "相互貸借の現在")
    assert (keys["rft.issn"], keys["rft.volume"], keys["rft.issue"]) == ("0385-4000", "12", "3")
    assert (keys["rft.spage"], keys["rft.epage"]) == ("45", "52")


@pytest.mark.parametrize(
    ("changes", "genre"),
    [
        ({"article": ""}, "issue"),
        ({"article": "", "issue": ""}, "journal"),
        ({"isbns": ("9784003101018",)}, "bookitem"),
        ({"isbns": ("9784003101018",), "article": ""}, "book"),
    ],
)
def test_the_genre_follows_from_what_is_wanted(changes, genre) -> None:
    assert dict(parse_qsl(openurl(structs.replace(ARTICLE, **changes), SITE)))["rft.genre"] == genre


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("https://ill.example.jp/form", "https://ill.example.jp/form?ctx_ver="),
        ("https://ill.example.jp/form?lang=ja", "https://ill.example.jp/form?lang=ja&ctx_ver="),
        ("https://ill.example.jp/form?", "https://ill.example.jp/form?ctx_ver="),
    ],
)
def test_the_keys_are_added_to_the_address_of_the_form(form, start) -> None:
    assert form_address(form, ARTICLE, SITE).startswith(start)


def test_a_fragment_stays_at_the_end() -> None:
    assert form_address("https://ill.example.jp/#/form", ARTICLE, SITE).endswith("#/form")


@pytest.mark.parametrize("form", ["", "javascript:alert(1)", "ill.example.jp", "https://user@ill.example.jp/"])
def test_an_unsafe_form_has_no_address(form) -> None:
    assert form_address(form, ARTICLE, SITE) == ""


def test_an_address_stays_short_enough_and_keeps_the_main_keys() -> None:
    long = "あ" * 500
    request = LoanRequest(title=long, author=long, publisher=long, edition=long, series=long, isbns=("9784003101018",))
    address = form_address("https://ill.example.jp/form", request, SITE)
    assert len(address) <= 6100
    assert {"rft.isbn", "rft.btitle", "svc.ill"} <= parse_qs(address.partition("?")[2]).keys()


def test_values_cannot_add_keys() -> None:
    assert "svc.evil" not in parse_qs(openurl(LoanRequest(title="a&svc.evil=1#x"), SITE))


@pytest.mark.parametrize("folder", SAMPLE_FOLDERS)
def test_our_own_reader_understands_requests_for_real_records(samples, folder) -> None:
    for record in sample_records(samples, folder):
        request = filled(record, [Copy(record="", item=item) for item in record.items], SOURCE)
        wanted = read_openurl(openurl(request, SITE))
        assert wanted.pages == (SOURCE,)
        assert set(wanted.isbns) == set(request.isbns[:5])
        assert wanted.title or not request.title.strip('-:|()（）「」『』"')
        assert wanted.in_journal == bool(request.article)
        assert list(attempts(wanted))


def test_our_own_openurl_leads_to_the_book(client, book, settings) -> None:
    request = filled(KOKORO, (), f"{settings.PUBLIC_URL}/books/{book_id(book)}")
    answer = client.get(f"/openurl?{openurl(request, settings.PUBLIC_URL)}")
    assert (answer.status_code, answer["Location"]) == (303, f"/books/{book_id(book)}")


@pytest.mark.parametrize("changes", [{}, {"isbns": ()}])
def test_the_book_is_found_without_our_address_too(client, book, changes) -> None:
    request = structs.replace(filled(KOKORO, (), "https://other.example.jp/books/M1"), **changes)
    assert client.get(f"/openurl?{openurl(request, SITE)}")["Location"] == f"/books/{book_id(book)}"
