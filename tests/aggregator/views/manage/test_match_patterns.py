"""The review as staff see it: a row for each pattern, and the page of a pattern with its pairs."""

import re

import pytest

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import ReviewPair
from aggregator.review.patterns import patterns
from harvesting.accounts.roles import LIBRARIANS
from tests.aggregator.shelves import Shelf, doubtful
from tests.aggregator.views.manage.test_matches import staff, user  # noqa: F401 a fixture

pytestmark = pytest.mark.django_db
LIST, PAGE, EN = "/manage/matches/", "/manage/matches/review", {"accept-language": "en"}
TITLES = ("料理入門", "日本の鉄道", "庭の草花")


@pytest.fixture
def pairs() -> list[ReviewPair]:
    """Three questions with the same pattern."""
    shelf = Shelf()
    for title in TITLES:
        for place, described in enumerate(doubtful(title, "乙山, 花子")):
            shelf.put(f"<i>library</i> {place}", f"{title} {place}", described)
    sum(aggregate_pending())
    found = list(ReviewPair.objects.filter(asked=True).order_by("-worth", "pk"))
    assert len(found) == len(TITLES)
    return found


def test_only_those_who_may_rule_see_the_patterns(client, pairs) -> None:
    for address in (LIST, f"{PAGE}?kind=apart&pattern={pairs[0].pattern}"):
        assert client.get(address).status_code == 302
    client.force_login(user("hanako", LIBRARIANS))
    for address in (LIST, f"{PAGE}?kind=apart&pattern={pairs[0].pattern}"):
        assert client.get(address).status_code == 403


def test_a_row_leads_to_the_page_of_its_pattern_which_leads_through_its_pairs(client, staff, pairs) -> None:  # noqa: F811
    html = client.get(LIST, headers=EN).text
    assert "1 question with 3 pairs" in html
    (query,) = re.findall(rf'href="{PAGE}\?([^"]*pattern=[^"]*)"', html)
    page = client.get(f"{PAGE}?{query.replace('&amp;', '&')}", headers=EN).text
    assert patterns()[0].words in page
    titles = [title for title in TITLES if title in page]
    assert sorted(titles) == sorted(TITLES)  # one side by side, the others listed
    assert "&lt;i&gt;library" in page and "<i>library" not in page
    following = re.findall(r'class="following".*?href="([^"]*)"', page, re.DOTALL)
    assert client.get(following[0].replace("&amp;", "&")).status_code == 200


def test_the_pairs_of_another_pattern_are_not_on_the_page(client, staff, pairs) -> None:  # noqa: F811
    ReviewPair.objects.filter(pk=pairs[1].pk).update(pattern="pages=far")
    page = client.get(f"{PAGE}?kind=apart&pattern={pairs[0].pattern}").text
    assert sum(title in page for title in TITLES) == 2
    assert client.get(LIST, headers=EN).text.count(f'href="{PAGE}?kind=apart&amp;pattern=') == 2


@pytest.mark.parametrize(
    "query",
    ["kind=apart&pattern=unknown=thing", "kind=apart&pattern=<script>", "pattern=year=near", "kind=x&pattern=y"],
)
def test_unknown_patterns_are_no_error(client, staff, pairs, query) -> None:  # noqa: F811
    page = client.get(f"{PAGE}?{query}")
    assert page.status_code == 200 and "<script>alert" not in page.text


def test_queries_do_not_grow_with_the_pairs(client, staff, pairs, django_assert_max_num_queries) -> None:  # noqa: F811
    address = f"{PAGE}?kind=apart&pattern={pairs[0].pattern}"
    client.get(address)
    with django_assert_max_num_queries(50):
        client.get(address)
    with django_assert_max_num_queries(20):
        client.get(LIST)
