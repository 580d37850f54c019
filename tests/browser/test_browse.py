"""The pages by which readers browse: accessible in every view, and nothing is wider than the screen."""

import pytest

from aggregator.browse.addresses import heading_path
from aggregator.browse.counting import count_headings
from aggregator.browse.subject_lists import replace_list
from metadata.record import Agent, BibliographicRecord, Identifier, Subject, Title
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser


@pytest.fixture
def browsed(shelf, library):
    author = Agent(
        name="夏目, 漱石",
        transcription="ナツメ, ソウセキ",
        other_names=(Title(value="Natsume, Sōseki"),),
        identifiers=(
            Identifier(scheme="VIAF", value="34461447"),
            Identifier(scheme="ORCID", value="0000-0002-1825-0097"),
            Identifier(scheme="e-Rad_Researcher", value="90050426"),
        ),
    )
    for title in ("こころ", "吾輩は猫である", "A very long title that goes on and on, without ever coming to a point"):
        record = BibliographicRecord(
            titles=(Title(value=title),),
            creators=(author,),
            subjects=(Subject(value="猫"), Subject(value="913.6", scheme="NDC9")),
            issued="1914",
        )
        shelf.book(shelf.record(library, record), record=record)
    replace_list("BSH", [("猫", "broader", "ペット")])
    list(count_headings())


@VIEWS
def test_the_pages_have_no_accessibility_violation(visit, browsed, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path in (
        *("/browse/", "/browse/authors/", "/browse/authors/?letter=ナ", "/browse/ndc/", "/browse/new"),
        *(
            heading_path("夏目, 漱石"),
            "/people/ORCID/0000-0002-1825-0097",
            "/browse/people/",
            "/browse/subjects/猫",
            "/search?q=夏目嗽石",
        ),
    ):
        page = visit(path, locale=locale, width=width, scheme=scheme)
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
