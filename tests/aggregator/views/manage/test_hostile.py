"""Two hundred hostile texts in every field of records and issues, on every page and in every file about them."""

import csv
import io
import re
import zipfile
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.utils import timezone
from msgspec import structs

from harvesting.models import IgnoredIssue, RecordIssue, RecordVersion, ResolvedIssue, SourceRecord, Suppression
from harvesting.records.compression import pack_payload, pack_record
from metadata.record import Agent, Identifier, Title
from tests.aggregator.views.payloads import PAYLOADS
from tests.aggregator.views.records_with_issues import harvested, issue_of, person, provider, record_of, with_bad_isbn
from tests.books import record
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
# Elements that our pages never contain.
FOREIGN = {"iframe", "object", "base", "style", "math", "template", "xmp", "marquee", "video"}
LINKING = {"href", "src", "action", "formaction", "data"}
# The ordinary suite uses every eighth text.
STEPS = pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.slow)])
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


class Seen(HTMLParser):
    """The tags and attributes of a page as a browser parses them, with those that no page of ours may have."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            self.bad.append(tag)
        if tag in FOREIGN:
            self.bad.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name in {"style", "srcdoc"}:
                self.bad.append(f"{tag} {name}")
            scheme = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name in LINKING and scheme.startswith(("javascript:", "data:", "vbscript:")):
                self.bad.append(f"{tag} {name}={value}")


@pytest.fixture
@stored_once
def feed(db):
    feed = provider()
    harvested(feed, with_bad_isbn("a"))
    return feed


def poison(text: str) -> None:
    """Write the text into every field that a provider or a person fills."""
    clean = text.replace("\x00", "\ufffd")
    hostile = structs.replace(
        record("a", title=clean or "x"),
        titles=(Title(value=clean, transcription=clean),),
        creators=(Agent(name=clean, transcription=clean, uri=clean, role=clean),),
        publishers=(Agent(name=clean, location=clean),),
        see_also=(clean,), uri=clean, notes=(clean,), issued=clean, volumes=(Title(value=clean),),
        identifiers=(Identifier(scheme="ISBN", value=clean),),
    )  # fmt: skip
    SourceRecord.objects.update(
        identifier=f"oai:x:a{clean}"[:900], datestamp=clean[:40], set_specs=[clean], record=pack_record(hostile),
        payload=pack_payload(f"<r><dc:title>{text}</dc:title></r>".encode()),
    )  # fmt: skip
    RecordIssue.objects.update(field=clean[:100], value=clean, result=clean)
    ResolvedIssue.objects.update(field=clean[:100], value=clean, result=clean)
    RecordVersion.objects.update(payload=pack_payload(text.encode()), datestamp=clean[:40])
    IgnoredIssue.objects.update(field=clean[:100], value=clean, reason=clean[:500], decided_by=clean[:150])
    Suppression.objects.update(reason=clean[:500], decided_by=clean[:150])


@pytest.fixture
def pages(feed) -> list[str]:
    """Create one object of every kind, and return the addresses that show them."""
    source, issue = record_of("a"), issue_of("a")
    now = timezone.now()
    ResolvedIssue.objects.create(source_record=source, repository=feed.repository, code=issue.code,
                                 severity=issue.severity, how="mended", resolved_at=now)  # fmt: skip
    version = RecordVersion.objects.create(
        record=source, payload=b"", metadata_prefix="dcndl", came_at=now, replaced_at=now
    )
    for about in (None, source):
        IgnoredIssue.objects.create(
            repository=feed.repository, code="dcndl.W004", record=about, reason="x", decided_by="y"
        )
    Suppression.objects.create(record=source, reason="x", decided_by="y")
    number, name = feed.repository.number, source.public_id
    return [
        "/manage/issues/",
        f"/manage/issues/{number}/",
        f"/manage/issues/list?repository={number}",
        f"/manage/issues/list?code={issue.code}",
        "/manage/issues/list?state=ignored",
        "/manage/issues/list?state=resolved",
        f"/manage/issues/{number}/letter",
        "/manage/records/",
        f"/manage/records/{name}/?issue={issue.pk}&version={version.pk}",
        "/manage/records/duplicates/",
        "/manage/records/isbns/",
    ]


@pytest.fixture
def client_of(feed) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(person("hanako", feed.repository))
    return client


@STEPS
def test_texts_of_records_are_escaped_on_every_page(client_of, feed, pages, step):
    for place, text in enumerate(PAYLOADS[::step]):
        poison(text)
        paths = pages if place % 10 == 0 else pages[place % len(pages) :: 5]
        for path in [*paths, f"/manage/issues/list?value={place}"]:
            seen = Seen()
            answer = client_of.get(path)
            seen.feed(answer.text)
            assert (path, answer.status_code, seen.bad) == (path, 200, []), text


@STEPS
def test_texts_typed_into_forms_are_escaped(client_of, feed, step):
    for text in PAYLOADS[::step]:
        for path, name in (("/manage/records/", "q"), ("/manage/issues/list", "value"), ("/manage/issues/list", "code"),
                           ("/manage/issues/list", "field"), ("/manage/issues/list", "after")):  # fmt: skip
            seen = Seen()
            answer = client_of.get(path, {name: text})
            seen.feed(answer.text)
            assert answer.status_code in (200, 302, 400) and seen.bad == [], (name, text)


@STEPS
def test_files_have_no_formulas_and_do_not_break(client_of, feed, pages, step):
    number = feed.repository.number
    for text in PAYLOADS[::step]:
        poison(text)
        rows = csv.reader(io.StringIO(_file(client_of, number, "csv").decode("utf-8-sig"), newline=""))
        assert not [cell for row in rows for cell in row if cell.startswith(FORMULA)], text
    for text in PAYLOADS[:: 7 * step]:
        poison(text)
        sheet = zipfile.ZipFile(io.BytesIO(_file(client_of, number, "xlsx"))).read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet and "<hyperlink" not in sheet, text
        letter = client_of.get(f"/manage/issues/{number}/letter.txt")
        assert letter["Content-Type"] == "text/plain; charset=utf-8"
        assert "Set-Cookie" not in letter.headers


def _file(client: Client, number: str, suffix: str) -> bytes:
    return b"".join(client.get(f"/manage/issues/list.{suffix}?repository={number}").streaming_content)
