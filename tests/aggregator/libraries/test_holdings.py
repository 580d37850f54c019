"""Holdings are values: one for each library, with one link and its copies."""

import pytest

from aggregator.libraries.holdings import MOST_COPIES, Description, held, pack_copies, reports_of, unpack_copies
from aggregator.libraries.identify import Code, KnownLibrary, Reports
from aggregator.libraries.provider_link import Link, LinkSource
from metadata.record import BibliographicRecord, Identifier, Item, Title

UNION, OTHER = 1, 2
NUMBERS = {UNION: "R100000001", OTHER: "R100000002"}
ISBN = Identifier(scheme="ISBN", value="9784003101018")


def member(*items: Item, repository: int = UNION, see_also: str = "", name: str = "1") -> Description:
    pages = (see_also,) if see_also else ()
    record = BibliographicRecord(titles=(Title(value="坊っちゃん"),), identifiers=(ISBN,), see_also=pages, items=items)
    return Description(f"{NUMBERS[repository]}-I{name}", repository, NUMBERS[repository], record)


def copy(code: str, number: str, page: str = "", **fields: str) -> Item:
    pages = (page,) if page else ()
    return Item(library_code=code, uri=f"https://x.example/{code}/{number}", see_also=pages, **fields)


def holdings(*members: Description, sources: dict[int, LinkSource] | None = None, **library: str):
    reports = Reports()
    reports_of(members, reports)
    libraries = {
        code: KnownLibrary(place, reported.name, **library)
        for place, (code, reported) in enumerate(reports.first.items(), 1)
    }
    return held(members, libraries, sources or {})


def test_eight_records_of_four_libraries_are_four_holdings_of_two_copies() -> None:
    members = [
        member(copy(code, number), name=f"{code}-{number}")
        for number in "12"
        for code in ("2101", "2102", "2127", "2113")
    ]
    assert [(own.code.value, own.count, len(own.copies)) for own in holdings(*members)] == [
        ("2101", 2, 2),
        ("2102", 2, 2),
        ("2127", 2, 2),
        ("2113", 2, 2),
    ]


def test_what_two_providers_describe_with_the_same_words_is_one_copy() -> None:
    shelf = {"call_number": "913.6"}
    first = [member(copy("2101", number, **shelf), name=number) for number in "12"]
    second = [member(copy("2101", number, **shelf), name=number, repository=OTHER) for number in "345"]
    (own,) = holdings(*first, *second)
    assert (own.count, own.repositories) == (3, (UNION, OTHER))


def test_a_copy_that_is_reported_twice_is_one() -> None:
    (own,) = holdings(member(copy("2101", "1")), member(copy("2101", "1"), name="2"))
    assert own.count == 1


def test_the_best_kind_of_link_is_taken_whichever_comes_first() -> None:
    home = LinkSource(home_page="https://other.example/")
    template = LinkSource(link_template="https://union.example/?isbn={isbn}")
    members = (
        member(Item(library_code="2101"), repository=OTHER),
        member(copy("2101", "1", "https://union.example/1")),
    )
    assert holdings(*members, sources={OTHER: home})[0].link == Link("https://union.example/1", "detail")
    (own,) = holdings(*members, sources={OTHER: home, UNION: template})
    assert own.link == Link("https://union.example/?isbn=9784003101018", "openurl")


def test_the_librarys_own_template_goes_before_the_providers() -> None:
    sources = {UNION: LinkSource(link_template="https://union.example/?isbn={isbn}")}
    (own,) = holdings(member(copy("2101", "1")), sources=sources, link_template="https://library.example/{isbn}")
    assert own.link == Link("https://library.example/9784003101018", "openurl")


def test_the_librarys_page_goes_before_the_providers_home_page_only() -> None:
    sources = {UNION: LinkSource(home_page="https://union.example/")}
    page = "https://library.example/"
    assert holdings(member(copy("2101", "1")), sources=sources, page=page)[0].link == Link(page, "top")
    one = member(copy("2101", "1", "https://union.example/1"))
    assert holdings(one, sources=sources, page=page)[0].link.kind == "detail"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://x.example/" + "a" * 3000, "http://a:b@x.example/"])
def test_a_bad_address_is_no_link(url) -> None:
    (own,) = holdings(member(copy("2101", "1", url)), page=url)
    assert own.link == Link()


def test_a_copy_has_a_link_only_if_it_differs_from_the_librarys() -> None:
    pages = ("https://library.example/1", "https://library.example/2")
    (own,) = holdings(*(member(copy("2101", page[-1], page), name=page[-1]) for page in pages))
    assert (own.link.url, [one.link for one in own.copies]) == (pages[0], ["", pages[1]])


def test_a_record_without_items_is_a_holding_of_its_provider() -> None:
    (own,) = holdings(member(see_also="https://union.example/1"))
    assert (own.code, own.count) == (Code("provider", NUMBERS[UNION]), 1)
    assert own.link == Link("https://union.example/1", "detail")


def test_of_very_many_copies_the_first_are_stored_and_all_counted() -> None:
    (own,) = holdings(*(member(copy("2101", str(number)), name=str(number)) for number in range(MOST_COPIES + 5)))
    assert (own.count, len(own.copies)) == (MOST_COPIES + 5, MOST_COPIES)


def test_a_huge_copy_is_cut() -> None:
    huge = Item(library_code="2101", call_number="9" * 100_000, notes=("註" * 100_000,) * 1000)
    (own,) = holdings(member(huge))
    assert len(pack_copies(own.copies)) < 20_000


def test_copies_are_packed_and_unpacked() -> None:
    (own,) = holdings(member(copy("2101", "1", call_number="913.6", notes=("禁帯出",))))
    assert unpack_copies(pack_copies(own.copies)) == own.copies
    assert unpack_copies(b"") == ()
