"""The page of a serial in an accessible format, with the issues held and its earlier title."""

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from metadata.record import Identifier, Item, MaterialType, Relation, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import VIEWS
from tests.browser.test_results import check

JOURNAL = (MaterialType(uri="http://ndl.go.jp/ndltype/Journal"),)


@pytest.fixture
def serial(shelf, library) -> str:
    """The address of the serial; its earlier title is in the catalogue too."""
    shelf.library("大阪府立中央図書館", "2127", prefecture="27")

    def put(title: str, issn: str, **fields: object) -> str:
        numbers = (Identifier(scheme="ISSN", value=issn),)
        titles = (Title(value=title),)
        record = replace(KOKORO, titles=titles, identifiers=numbers, material_types=JOURNAL, **fields)
        source = shelf.record(library, record)
        shelf.book(source, record=record)
        return f"/books/{book_id(source)}"

    put("旧雑誌", "03854914", volume_ranges=("1号-20号",))
    items = tuple(Item(library_code="2127", location=place, holding_issues="1-3") for place in ("本館", "書庫"))
    relations = (Relation(type="replaces", scheme="ISSN", number="0385-4914"),)
    return put("雑誌 点字版", "04887484", items=items, relations=relations)


@VIEWS
def test_the_page_is_accessible_and_leads_to_the_earlier_title(visit, serial, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(serial, locale=locale, width=width, scheme=scheme)
    check(axe, page, serial)
    page.locator("#title-changes").locator("xpath=..").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("旧雑誌")
