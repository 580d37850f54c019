"""The pages about issues: contents, filters, files, actions, and that users reach only their own providers."""

import csv
import io
import json
import zipfile
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from harvesting.harvest import recheck
from harvesting.issues import counts, lists
from harvesting.models import AuditEntry, IgnoredIssue, IssueCount, IssuePatterns, RecordIssue
from metadata.catalogue import RULES
from tests.aggregator.views.records_with_issues import (
    LATER,
    harvested,
    issue_of,
    live,
    person,
    provider,
    record_of,
    with_bad_isbn,
)
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db


@pytest.fixture
@stored_once
def feed(db):
    feed = provider()
    harvested(feed, with_bad_isbn("a"), live("b"), with_bad_isbn("c"))
    return feed


@pytest.fixture
def librarian(feed) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(person("hanako", feed.repository))
    return client


def path(feed, rest: str = "") -> str:
    return f"/manage/issues/{feed.repository.number}/{rest}"


def test_the_issues_by_rule_show_counts_shares_and_examples(librarian, feed):
    page = librarian.get(path(feed)).text
    issue = issue_of("a")
    assert issue.code in page
    assert "66.7" in page
    assert "oai:x:a" in page and "<code>999-9-99-999999-9</code>" in page
    assert f"/rules/{issue.code}" in page
    assert "Nothing was found" not in page


def test_the_trend_shows_the_change_by_the_last_harvest(librarian, feed):
    harvested(feed, live("a", LATER), live("b"), with_bad_isbn("c"))
    page = librarian.get(path(feed)).text
    assert "-1" in page and "33.3" in page
    assert 'class="trend"' in page


def test_every_filter_narrows_the_list(librarian, feed):
    issue, today = issue_of("a"), timezone.localdate()
    base = f"/manage/issues/list?repository={feed.repository.number}"
    matching = [
        *(
            "",
            f"&code={issue.code}",
            f"&severity={issue.severity}",
            f"&field={issue.field}",
            "&shape=999-9-99-999999-9",
        ),
        *(f"&value={issue.value}", f"&harvest={issue.harvest_id}", f"&since={today}", f"&until={today}"),
    ]
    for query in matching:
        assert "oai:x:a" in librarian.get(base + query).text, query
    severity = next(name for name in ("record_error", "information") if name != issue.severity)
    others = (f"&severity={severity}", "&field=nowhere", "&value=%E7%84%A1", "&harvest=999999", "&until=2020-01-01")
    for query in others:
        assert "oai:x:a" not in librarian.get(base + query + f"&code={issue.code}").text, query


def test_invalid_filters_are_reported(librarian):
    responses = [librarian.get(f"/manage/issues/list?{query}") for query in
                 ("code=x", "since=yesterday", "severity=x", "repository=R1", "after=x", "harvest=-1",
                  "since=2026-02-02&until=2026-02-01")]  # fmt: skip
    assert {response.status_code for response in responses} == {400}
    assert "dcndl.E003" in responses[0].text


def test_the_pages_of_the_list_show_every_issue_once(librarian, feed, monkeypatch):
    monkeypatch.setattr(lists, "PAGE", 2)
    harvested(feed, *[with_bad_isbn(f"d{number}") for number in range(7)])
    wanted = lists.IssueQuery(repositories=[feed.repository_id])
    seen, after = [], None
    while True:
        found = lists.page(wanted, after, 2)
        seen += [row.pk for row in found.rows]
        after = found.after
        if after is None:
            break
    assert sorted(seen) == sorted(RecordIssue.objects.values_list("pk", flat=True))
    assert len(seen) == len(set(seen))
    assert sorted(row.pk for row in lists.all_issues(wanted, 1000)) == sorted(seen)
    assert len(list(lists.all_issues(wanted, 3))) == 3


def test_a_search_without_an_index_scans_in_limited_steps(feed, monkeypatch):
    monkeypatch.setattr(lists, "SCAN_LIMIT", 3)
    harvested(feed, *[with_bad_isbn(f"d{number}", isbn=f"97840000000{number}0") for number in range(8)])
    last = RecordIssue.objects.filter(value__contains="97840000000").order_by("code", "pk").last()
    wanted = lists.IssueQuery(repositories=[feed.repository_id], value=last.value)
    seen, after, steps = [], None, 0
    while steps < 50:
        found = lists.page(wanted, after)
        seen += found.rows
        after = found.after
        steps += 1
        if after is None:
            break
        assert found.looked
    assert last in seen and steps > 2


def test_a_rule_is_ignored_with_a_reason_and_counts_again(librarian, feed):
    code = issue_of("a").code
    codes = set(RecordIssue.objects.filter(severity__in=counts.ERRORS_AND_WARNINGS).values_list("code", flat=True))
    librarian.post(path(feed, "ignore"), {"code": code})
    assert not IgnoredIssue.objects.exists()
    for ignored in codes:
        librarian.post(path(feed, "ignore"), {"code": ignored, "reason": "古い目録のため"})
    assert IssueCount.objects.first().faulty == 0
    page = librarian.get(path(feed)).text
    assert "古い目録のため" in page and "hanako" in page
    entry = AuditEntry.objects.filter(action="rule.ignored").first()
    assert (entry.name, entry.reason, entry.repository) == ("hanako", "古い目録のため", feed.repository)
    harvested(feed, with_bad_isbn("e"), with_bad_isbn("a"), live("b"), with_bad_isbn("c"))
    assert IssueCount.objects.first().faulty == 0
    for row in IgnoredIssue.objects.all():
        librarian.post(path(feed, "count"), {"ignoring": row.pk})
    assert IssueCount.objects.first().faulty == 3
    assert IgnoredIssue.objects.exclude(undone_at=None).count() == len(codes)
    assert AuditEntry.objects.filter(action="ignoring.undone").count() == len(codes)


def test_a_single_issue_is_ignored_and_listed_as_ignored(librarian, feed):
    issue = issue_of("a")
    librarian.post(path(feed, "ignore"), {"issue": issue.pk, "reason": "本にそう書いてある"})
    listed = f"/manage/issues/list?repository={feed.repository.number}&code={issue.code}"
    assert "oai:x:a<" not in librarian.get(listed).text
    page = librarian.get(f"{listed}&state=ignored").text
    assert "本にそう書いてある" in page and "oai:x:a" in page
    librarian.post(path(feed, "count"), {"ignoring": IgnoredIssue.objects.get().pk})
    assert "oai:x:a<" in librarian.get(listed).text


def test_mended_issues_are_listed_as_resolved(librarian, feed):
    harvested(feed, live("a", LATER), live("b"), with_bad_isbn("c"))
    page = librarian.get(f"/manage/issues/list?repository={feed.repository.number}&state=resolved").text
    assert "oai:x:a" in page and "oai:x:c" not in page
    assert "corrected by the provider" in page


def test_the_list_can_be_downloaded_as_csv_json_and_excel(librarian, feed):
    address = f"/manage/issues/list.%s?repository={feed.repository.number}"
    count = RecordIssue.objects.count()
    text = b"".join(librarian.get(address % "csv").streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    objects = json.loads(b"".join(librarian.get(address % "json").streaming_content))
    book = zipfile.ZipFile(io.BytesIO(b"".join(librarian.get(address % "xlsx").streaming_content)))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert len(rows) == len(objects) == count == sheet.count("<row ") - 1
    assert {row["identifier"] for row in rows} == {item["identifier"] for item in objects}
    assert "oai:x:a" in sheet and "<f>" not in sheet
    assert {item["message"] for item in objects if item["code"] == issue_of("a").code}


def test_the_files_contain_no_spreadsheet_formulas(librarian, feed):
    RecordIssue.objects.update(value='=HYPERLINK("http://evil.example","x")', field="@SUM(1)", result="＝1+1")
    address = f"/manage/issues/list.%s?repository={feed.repository.number}"
    text = b"".join(librarian.get(address % "csv").streaming_content).decode("utf-8-sig")
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@＝" and cell]
    book = zipfile.ZipFile(io.BytesIO(b"".join(librarian.get(address % "xlsx").streaming_content)))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet and "<hyperlink" not in sheet and "HYPERLINK" in sheet


def test_the_letter_contains_the_remedies_in_the_chosen_language(librarian, feed):
    code = next(rule.code for rule in counts.rule_counts(IssueCount.objects.first()) if rule.is_error_or_warning)
    english = librarian.get(path(feed, "letter?language=en")).text
    japanese = librarian.get(path(feed, "letter?language=ja")).text
    assert RULES[code].remedy_en.partition("{")[0][:30] in unescape(english)
    assert RULES[code].remedy_ja.partition("{")[0][:10] in japanese
    text = librarian.get(path(feed, "letter.txt?language=ja"))
    assert text["Content-Type"].startswith("text/plain")
    assert code in text.text and "oai:x:a" in text.text


def test_a_page_shows_the_progress_of_fetching_records_again(librarian, feed):
    run = recheck.queue_recheck(feed.repository, [record_of("a").pk, record_of("c").pk], "hanako")[0]
    address = f"/manage/issues/checks/{run.pk}"
    assert "not fetched again yet" in librarian.get(address).text
    progress = librarian.get(address, headers={"accept": "application/json"}).json()
    assert progress == {"state": "queued 0", "over": False}


def test_a_librarian_cannot_see_or_change_issues_of_other_providers(librarian, feed):
    other = provider("よその館")
    harvested(other, with_bad_isbn("z"))
    foreign = issue_of("z")
    number = other.repository.number
    for name in ("", "letter", "letter.txt"):
        assert librarian.get(f"/manage/issues/{number}/{name}").status_code == 404, name
    assert librarian.get(f"/manage/issues/list?repository={number}").status_code == 404
    assert librarian.get(f"/manage/issues/list.csv?repository={number}").status_code == 404
    assert "oai:x:z" not in librarian.get("/manage/issues/list").text
    assert number not in librarian.get("/manage/issues/").text
    actions = [(f"/manage/issues/{number}/ignore", {"code": foreign.code, "reason": "x"}),
               (path(feed, "ignore"), {"issue": foreign.pk, "reason": "x"})]  # fmt: skip
    assert {librarian.post(*action).status_code for action in actions} == {404}
    assert not IgnoredIssue.objects.exists() and not AuditEntry.objects.exclude(action="login").exists()


def test_forms_redirect_only_to_pages_of_this_site(librarian, feed):
    for bad_address in ("https://evil.example/manage/", "//evil.example", "/manage/\\evil", "javascript:x"):
        answer = librarian.post(path(feed, "count"), {"ignoring": "0", "back": bad_address})
        assert answer.status_code == 404
        answer = librarian.post(path(feed, "ignore"), {"code": issue_of("a").code, "back": bad_address})
        assert answer["Location"].startswith("/manage/")


def test_queries_do_not_grow_with_rows(librarian, feed, django_assert_max_num_queries):
    harvested(feed, *[with_bad_isbn(f"d{number}") for number in range(60)])
    addresses = ("/manage/issues/", path(feed), "/manage/issues/list", path(feed, "letter"),
                 f"/manage/issues/list?repository={feed.repository.number}&code={issue_of('d1').code}")  # fmt: skip
    for address in addresses:
        with django_assert_max_num_queries(22):
            assert librarian.get(address).status_code == 200


def test_issues_of_the_same_shape_are_one_line_that_leads_to_all_of_them(librarian, feed):
    harvested(feed, with_bad_isbn("d", isbn="4003101010"), with_bad_isbn("e", isbn="978-4-00-310102-0"), full=False)
    page = librarian.get(path(feed)).text
    code = issue_of("a").code
    line = next(row for row in page.split("<tr>") if "<code>999-9-99-999999-9</code>" in row)
    assert ">3<span" in line
    address = unescape(line.split('class="figure"><a href="')[1].split('"')[0])
    listed = librarian.get(address).text
    assert all(f"oai:x:{name}" in listed for name in "ace")
    assert "oai:x:d" not in listed
    assert code in address


def test_patterns_of_sites_that_counted_without_them_are_made_up_for(librarian, feed):
    IssuePatterns.objects.all().delete()
    assert "999-9-99-999999-9" not in librarian.get(path(feed)).text
    assert counts.count_missed() == 1
    assert counts.count_missed() == 0
    assert "999-9-99-999999-9" in librarian.get(path(feed)).text


def test_a_pattern_whose_example_was_resolved_is_still_shown(librarian, feed):
    RecordIssue.objects.all().delete()
    assert "resolved since it was counted" in librarian.get(path(feed)).text
