"""Links are checked politely: against servers on loopback."""

from collections.abc import Callable
from typing import Any

from aggregator.links import checking
from aggregator.models import CheckedLink, LinkHost, LinkPattern
from tests.aggregator.links.conftest import Catalogue, Clock, Site, book, check, states
from tests.aggregator.shelves import match_and_merge
from tests.harvesting.fakeserver import Answer


def test_a_page_is_asked_for_by_head_after_the_rules(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    check()
    assert site.asked == [("GET", "/robots.txt"), ("HEAD", "/r/1")]
    row = CheckedLink.objects.get()
    assert (row.state, row.kind, row.repository, row.library) == (
        "alive",
        "detail",
        catalogue.repository,
        catalogue.library,
    )


def test_a_link_that_was_checked_is_left_alone_for_a_month(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    check()
    clock.on(days=29)
    check()
    assert len(site.pages) == 1
    clock.on(days=2)
    check()
    assert len(site.pages) == 2


def test_all_links_of_a_library_have_their_turn(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(*(book(number, f"{site.url}/r/{number}") for number in range(12)))
    for _hour in range(40):
        check()
        clock.on(hours=1)
    assert states() == {str(number): "alive" for number in range(12)}
    assert len(site.pages) == 12


def test_a_missing_page_is_dead_after_three_days(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    site.missing.add("/r/1")
    found = []
    for _day in range(3):
        check()
        check()
        found.append(states()["1"])
        clock.on(days=1)
    assert found == ["doubtful", "doubtful", "dead"]
    assert site.pages.count(("GET", "/r/1")) == 3
    site.missing.clear()
    clock.on(days=7)
    check()
    assert states()["1"] == "alive"


def test_head_that_a_server_does_not_know_is_confirmed_by_get(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    fine, site.server.answer = site.server.answer, lambda request: Answer(status=405)
    site.server.answer = lambda request: Answer(status=405) if request.method == "HEAD" else fine(request)
    check()
    assert states() == {"1": "alive"}
    get = site.server.requests[-1]
    assert (get.method, get.headers["range"]) == ("GET", "bytes=0-1023")


def test_no_cookie_is_sent_back(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    cookie = {"Set-Cookie": "session=1; Path=/"}
    site.answers["/r/1"] = Answer(status=302, headers={**cookie, "Location": "/r/2"})
    site.answers["/r/2"] = Answer(status=404, headers=cookie)
    check()
    assert len(site.server.requests) == 5
    assert not any("cookie" in request.headers for request in site.server.requests)


def test_a_page_that_moved_for_good_is_noted_with_its_new_address(
    catalogue: Catalogue, site: Site, clock: Clock
) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    site.answers["/r/1"] = Answer(status=301, headers={"Location": "/new/1"})
    check()
    row = CheckedLink.objects.get()
    assert (row.state, row.location) == ("moved", f"{site.url}/new/1")


def test_redirects_without_end_are_doubtful(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    site.answers["/r/1"] = Answer(status=302, headers={"Location": "/r/1"})
    check()
    assert states() == {"1": "doubtful"}
    assert len(site.pages) <= 6


def test_robots_are_obeyed(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    site.robots = Answer(b"User-agent: *\nDisallow: /r/")
    check()
    assert (site.pages, states()) == ([], {"1": "unchecked"})


def test_a_host_with_errors_is_not_asked_further_that_day(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    site.robots = Answer(status=503)
    for _hour in range(5):
        check()
        clock.on(hours=1)
    assert site.asked == [("GET", "/robots.txt")]
    assert LinkHost.objects.get().state == "troubled"


def test_a_forbidden_address_is_not_asked(catalogue: Catalogue, site: Site, clock: Clock, settings: Any) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    settings.HARVEST_ALLOWED_NETWORKS = []
    check()
    row = CheckedLink.objects.get()
    assert (row.state, row.code, site.asked) == ("unchecked", "net.refused_address", [])
    assert LinkHost.objects.get().state == "answers"


def test_a_redirect_to_a_forbidden_address_is_not_followed(
    catalogue: Catalogue, site: Site, sites: Callable[[], Site], clock: Clock, settings: Any
) -> None:
    inside = sites()
    catalogue.add(book(1, f"{site.url}/r/1"))
    settings.HARVEST_ALLOWED_NETWORKS = [f"127.0.0.0/8:{site.server.port}"]
    site.answers["/r/1"] = Answer(status=302, headers={"Location": f"{inside.url}/metadata"})
    check()
    assert (states(), inside.asked) == ({"1": "unchecked"}, [])


def test_a_host_gets_a_limited_number_of_requests_a_day(
    catalogue: Catalogue, site: Site, clock: Clock, settings: Any
) -> None:
    settings.LINK_CHECKS_PER_HOST = 5
    catalogue.add(*(book(number, f"{site.url}/r/{number}") for number in range(12)))
    for _round in range(8):
        check()
    assert len(site.asked) == 5
    clock.on(days=1)
    for _round in range(8):
        check()
    assert len(site.asked) == 10


def test_all_hosts_together_get_a_limited_number_of_requests_a_day(
    catalogue: Catalogue, site: Site, clock: Clock, settings: Any
) -> None:
    settings.LINK_CHECKS_PER_DAY = 4
    catalogue.add(*(book(number, f"{site.url}/r/{number}") for number in range(12)))
    for _round in range(8):
        check()
    assert len(site.asked) == 4
    assert not checking.is_due()
    clock.on(days=1)
    assert checking.is_due()


def test_nothing_is_asked_if_checks_are_switched_off(
    catalogue: Catalogue, site: Site, clock: Clock, settings: Any
) -> None:
    settings.LINK_CHECKS_PER_DAY = 0
    catalogue.add(book(1, f"{site.url}/r/1"))
    assert (checking.is_due(), checking.check_portion(), site.asked) == (False, 0, [])


def test_a_host_that_is_down_is_one_fact_and_not_many_dead_links(
    catalogue: Catalogue, site: Site, clock: Clock, settings: Any
) -> None:
    settings.LINK_CHECKS_PER_HOST = 3
    catalogue.add(*(book(number, f"http://127.0.0.1:9/r/{number}") for number in range(8)))
    for number in range(50, 90):
        catalogue.shelf.put("市", str(number), book(number, f"{site.url}/r/{number}"))
    match_and_merge()
    for _day in range(20):
        check()
        clock.on(days=1)
    assert CheckedLink.objects.filter(url__contains=":9/").count() == 0
    host = LinkHost.objects.get(name="127.0.0.1:9")
    assert (host.state, host.failure, host.failed_days >= 14) == ("gone", "net.connect", True)


def test_a_machine_that_reaches_nobody_blames_nobody(catalogue: Catalogue, clock: Clock) -> None:
    catalogue.add(book(1, "http://127.0.0.1:9/r/1"))
    for _day in range(20):
        check()
        clock.on(days=1)
    assert LinkHost.objects.get().state == "answers"


def test_a_pattern_is_dead_when_all_of_its_links_are_and_lives_when_one_does(
    catalogue: Catalogue, site: Site, clock: Clock
) -> None:
    catalogue.add(*(book(number, f"{site.url}/r/{number}") for number in range(6)))
    site.missing |= {f"/r/{number}" for number in range(6)}
    for _part in range(4 * 8):
        check()
        clock.on(hours=6)
    assert set(states().values()) == {"dead"}
    pattern = LinkPattern.objects.get()
    assert (pattern.text, pattern.dead) == (f"127.0.0.1:{site.server.port}/r/*", True)
    site.missing.clear()
    clock.on(days=7)
    check()
    assert not LinkPattern.objects.get().dead


def test_a_link_that_no_record_gives_any_more_is_forgotten(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    site.missing.add("/r/1")
    check()
    catalogue.add(book(1, f"{site.url}/r/new"))
    clock.on(days=1)
    check()
    assert states() == {"new": "alive"}


def test_findings_are_removed_after_a_while(catalogue: Catalogue, site: Site, clock: Clock) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    check()
    CheckedLink.objects.update(url="https://old.example/1", key=1)
    clock.on(days=91)
    check()
    clock.on(days=91)
    check()
    assert states() == {"1": "alive"}
    assert LinkPattern.objects.count() == LinkHost.objects.count() == 1


def test_pages_of_readers_never_ask(catalogue: Catalogue, site: Site, clock: Clock, client: Any) -> None:
    catalogue.add(book(1, f"{site.url}/r/1"))
    number = CheckedLink.objects.count()
    for path in ("/books/M1", "/search?q=本", "/api/records?q=本"):
        client.get(path)
    assert (site.asked, CheckedLink.objects.count()) == ([], number)
