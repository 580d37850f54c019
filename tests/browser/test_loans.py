"""Two libraries in a browser: from the button on a holding to the end of the loan; and how the pages look."""

import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from msgspec import structs
from playwright.sync_api import Page, expect

from aggregator.libraries.holdings import Copy, pack_copies
from aggregator.loans.states import Action, Side
from aggregator.models import Holding, Loan, Manifestation
from harvesting.notifications.outbox import send_due
from harvesting.records.compression import pack_encoded
from metadata.record import Item
from tests.aggregator.loan_desk.desks import COPY, Desks
from tests.aggregator.loan_desk.desks import desks as make_desks
from tests.aggregator.views.shelf import KOKORO, Shelf
from tests.browser.conftest import VIEWS
from tests.browser.test_people import fine

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("SHOTS", "")  # folder for pictures of the pages


@pytest.fixture
def desks(transactional_db: None) -> Desks:
    return make_desks(email="ill@osaka.example.jp", days=21, contact="田中")


@pytest.fixture
def manifestation(shelf: Shelf, library: Any, desks: Desks) -> Manifestation:
    """A book that the lender holds."""
    item = Item(holding_agent="大阪府立図書館", library_code="2127", call_number="913.6")
    record = structs.replace(KOKORO, items=(item,))
    made = shelf.book(shelf.record(library, record), record=record, libraries=[desks.lender])
    Holding.objects.update(packed=pack_encoded(pack_copies([Copy(record="R1-I1", item=item)])))
    return made


@pytest.fixture
def come(visit: Callable[..., Page]) -> Callable[..., Page]:
    """Opens a page as a user: come(user, path, locale=…, width=…, scheme=…)."""

    def opened(user: Any, path: str, **look: Any) -> Page:
        client = Client()
        client.force_login(user)
        page = visit("/robots.txt", **look)
        cookie = client.cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": page.url}])
        page.goto(path)
        return page

    return opened


def shoot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS, f"{name}.png"), full_page=True)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_text(f"Recorded: {name}.").wait_for()


def test_two_libraries_from_the_button_to_the_end(come: Any, desks: Desks, manifestation: Manifestation) -> None:
    hers = come(desks.hana, f"/books/M{manifestation.pk}")
    hers.get_by_role("link", name="Request an interlibrary loan").click()
    expect(hers.get_by_label("Call number")).to_have_value("913.6")
    hers.get_by_label("Own number").fill("2026-17")
    hers.get_by_role("button", name="Send the request").click()
    hers.get_by_text("The request has been sent.").wait_for()
    his = come(desks.ken, "/loans/received")
    his.get_by_role("link", name=re.compile(r"^ILL")).click()
    his.get_by_text("Ship", exact=True).first.click()
    due = his.get_by_label("Date due")
    expect(due).to_have_value((timezone.localdate() + timedelta(days=21)).isoformat())
    press(his, "Ship")
    hers.reload()
    for name in ("Confirm arrival", "Put into use", "Send back"):
        press(hers, name)
    his.reload()
    press(his, "Complete")
    expect(his.locator(".loan-state .state")).to_have_text("completed")
    assert Loan.objects.get().state == "completed"
    assert hers.problems == his.problems == []


def test_a_library_without_an_account_refuses_by_the_link_in_its_mail(visit: Any, come: Any, desks: Desks) -> None:
    loan = desks.ask()
    send_due()
    found = re.search(r"http://127\.0\.0\.1:8000(/loans/answer/\S+)", str(mail.outbox[-1].body))
    assert found
    page = visit(found[1])
    page.get_by_text("Refuse", exact=True).first.click()
    page.get_by_label("Reason").select_option("on_loan")
    page.get_by_role("button", name="Refuse", exact=True).click()
    page.get_by_text("The borrowing library has been notified.").wait_for()
    hers = come(desks.hana, f"/loans/{loan.pk}/")
    expect(hers.get_by_text("on loan to another reader")).to_be_visible()


@VIEWS
def test_every_page_is_in_order_in_every_look(
    visit: Any, come: Any, desks: Desks, manifestation: Manifestation, locale: str, width: int, scheme: str
) -> None:
    look = {"locale": locale, "width": width, "scheme": scheme}
    loan = desks.ask(book=f"M{manifestation.pk}")
    late = desks.act(desks.ask(), Side.LENDER, Action.SHIP, words="本日発送しました。")
    Loan.objects.filter(pk=late.pk).update(due=timezone.localdate() - timedelta(days=3))
    desks.act(desks.ask(COPY), Side.LENDER, Action.INQUIRE, words="ページをご確認ください。")
    send_due()
    link = next(found[1] for sent in mail.outbox if (found := re.search(r":8000(/loans/answer/\S+)", str(sent.body))))
    pages = {
        "list": "/loans/", "loan": f"/loans/{loan.pk}/", "print": f"/loans/{loan.pk}/print",
        "form": f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}",
        "terms": "/loans/terms", "figures": "/loans/figures", "book": f"/books/M{manifestation.pk}",
    }  # fmt: skip
    page = come(desks.hana, "/loans/", **look)
    for name, path in pages.items():
        page.goto(path)
        shoot(page, f"{name}-{locale}-{width}-{scheme}")
        fine(page)
    for name, path in {"received": "/loans/received", "to-answer": f"/loans/{loan.pk}/"}.items():
        other = come(desks.ken, path, **look)
        for summary in other.locator("details.loan-act > summary").all():
            summary.click()
        shoot(other, f"{name}-{locale}-{width}-{scheme}")
        fine(other)
    answer = visit(link, **look)
    answer.locator("details.loan-act > summary").last.click()
    shoot(answer, f"answer-{locale}-{width}-{scheme}")
    fine(answer)


def test_the_printed_request_fits_on_one_page(come: Any, desks: Desks) -> None:
    page = come(desks.hana, f"/loans/{desks.ask(COPY).pk}/print", locale="ja")
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    if SHOTS:
        Path(SHOTS, "print.pdf").write_bytes(printed)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
