"""Staff make a dry run of the hand-over of DOIs; the pages about DOIs and theses are in order in every look."""

import pytest
from django.utils import timezone

from harvesting.doi.deliveries import seal_login
from harvesting.doi.states import check_changed
from harvesting.models import DoctoralThesis, DoiAgreement, DoiDelivery, RequestedDoi, SourceRecord
from harvesting.theses.states import check_changed as check_theses
from tests.browser.conftest import VIEWS
from tests.browser.test_people import fine
from tests.harvesting.doi.papers import WITHOUT_VOLUME, harvest, new_provider, paper
from tests.harvesting.theses.theses import WITHOUT_NUMBER, received

pytestmark = pytest.mark.browser


@pytest.fixture
def number(transactional_db) -> str:
    """The number of a provider with DOIs in several states and an interrupted delivery."""
    feed = new_provider("ndl", hand_over="api", credentials=seal_login("user", "password"))
    harvest(feed, paper("ready"), paper("gone"), paper("refused"), paper("blocked", **WITHOUT_VOLUME))
    harvest(feed, received("thesis"), received("incomplete", **WITHOUT_NUMBER), received("lost"))
    check_changed()
    check_theses()
    DoctoralThesis.objects.filter(record__identifier__endswith="lost").update(state="gone")
    now = timezone.now()
    RequestedDoi.objects.filter(doi__endswith="gone").update(state="gone")
    RequestedDoi.objects.filter(doi__endswith="refused").update(state="refused", message="E12 url is not reachable")
    contents = [[RequestedDoi.objects.get(doi__endswith="ready").pk, "x"]]
    about = {"repository": feed.repository, "contents": contents, "sent_at": now, "ended_at": now}
    DoiDelivery.objects.create(state="uncertain", message="http.500: status 500", **about)
    DoiDelivery.objects.create(state="done", number="1234567", message="10.99999/other", **about)
    return feed.repository.number


def test_staff_make_a_dry_run(enter, number):
    page = enter("/manage/doi/")
    page.get_by_role("link", name="館").first.click()
    page.get_by_role("button", name="Dry run").click()
    page.get_by_text("1 DOI was concerned.").wait_for()
    fine(page)
    assert DoiDelivery.objects.filter(rehearsal=True).count() == 1
    assert DoiAgreement.objects.get().hand_over == "api"


@VIEWS
def test_every_page_is_in_order_in_every_look(enter, number, locale, width, scheme):
    record = SourceRecord.objects.earliest("pk").public_id
    for path in (
        "/manage/doi/",
        f"/manage/doi/{number}/",
        "/manage/doi/list",
        f"/manage/records/{record}/",
        "/rules/jpcoar.W012",
        "/manage/theses/",
        f"/manage/theses/list?repository={number}",
    ):
        fine(enter(path, locale=locale, width=width, scheme=scheme))
