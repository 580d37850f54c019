"""`manage.py fetch_schemas`: the files it stores, its error messages; and how a harvest reports schema validation."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from harvesting.models import Harvest, RecordIssue
from harvesting.runs.observations import observations_for_report
from harvesting.trials.schema_files import relative_path, xsd_addresses
from sampleprovider.source import SampleRecord, SampleSource
from tests.harvesting.fakeserver import Answer, FakeServer, serving

OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
SCHEMA = (
    f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="{OAI_DC}">'
    '<xs:element name="dc"><xs:complexType/></xs:element></xs:schema>'
).encode()
MARC = relative_path("https://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd")
MAIN = relative_path("http://www.openarchives.org/OAI/2.0/oai_dc.xsd")


def fetch_schemas(server: FakeServer, folder: Path) -> tuple[int, dict[str, dict]]:
    """Run the command with the server as mirror; return the exit code and the results by address."""
    out, code = StringIO(), 0
    try:
        call_command("fetch_schemas", folder=str(folder), mirror=server.url, json=True, stdout=out)
    except SystemExit as end:
        code = int(str(end.code))
    return code, {file["address"]: file for file in json.loads(out.getvalue())["files"]}


def schema_except_at(path: Path, answer: Answer):
    """An answer function that serves a schema at every path but one."""
    return lambda request: answer if request.path == f"/{path.as_posix()}" else Answer(SCHEMA)


def test_every_schema_is_stored_under_its_relative_path(tmp_path):
    with serving() as server:
        server.answer = lambda request: Answer(SCHEMA)
        code, files = fetch_schemas(server, tmp_path)
        assert (code, {file["state"] for file in files.values()}) == (0, {"new"})
        assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.*") if path.is_file()} == set(
            map(relative_path, xsd_addresses())
        )
        code, files = fetch_schemas(server, tmp_path)
    assert (code, {file["state"] for file in files.values()}) == (0, {"unchanged"})


def test_the_remedy_for_an_unreachable_address_suggests_a_mirror(tmp_path):
    with serving() as server:
        server.answer = lambda request: Answer(status=404)
        _code, files = fetch_schemas(server, tmp_path)
    assert all("--mirror" in file["message"] for file in files.values())
    assert not any("provider" in file["message"] for file in files.values())


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(status=404), "http.404"),
        (Answer(b"<html><body>Moved</body></html>"), "schema.none"),
        (Answer(b"<xs:schema"), "schema.none"),
        (Answer(b"x" * (2 * 1024 * 1024 + 1)), "net.too_large"),
    ],
)
def test_a_failed_download_is_reported_and_the_earlier_file_stays(tmp_path, answer, code):
    (tmp_path / MARC).parent.mkdir(parents=True)
    (tmp_path / MARC).write_bytes(b"earlier")
    with serving() as server:
        server.answer = schema_except_at(MARC, answer)
        exit_code, files = fetch_schemas(server, tmp_path)
    assert exit_code == 1
    [failed] = [file for file in files.values() if file["state"] == "failed"]
    assert failed["code"] == code
    assert failed["message"]
    assert (tmp_path / MARC).read_bytes() == b"earlier"


def test_the_output_says_where_to_put_a_file_by_hand(tmp_path):
    out = StringIO()
    with serving() as server, pytest.raises(SystemExit):
        server.answer = schema_except_at(MARC, Answer(status=404))
        call_command("fetch_schemas", folder=str(tmp_path), mirror=server.url, stdout=out)
    assert str(tmp_path / MARC) in out.getvalue()
    assert f"AGGREGATOR_SCHEMAS={tmp_path}" in out.getvalue()


@pytest.fixture
def dublin_core() -> SampleSource:
    payload = f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>本</dc:title></oai_dc:dc>'
    sample = SampleRecord(
        identifier="oai:sample:1", datestamp="2026-01-10T00:00:00Z", payloads={"oai_dc": payload.encode()}
    )
    return SampleSource(name="library", prefixes=("oai_dc",), records=[sample])


def harvest_twice(source: SampleSource, feed_of) -> tuple[dict, str, Harvest]:
    """Harvest with JSON output, then fully with text output; return both outputs and the row of the last run."""
    number = feed_of(source, metadata_prefix="oai_dc").repository.number
    out, words = StringIO(), StringIO()
    call_command("harvest", number, json=True, stdout=out)
    call_command("harvest", number, full=True, stdout=words)
    return json.loads(out.getvalue()), words.getvalue(), Harvest.objects.latest("pk")


def test_a_harvest_validates_against_schemas_and_reports_it(dublin_core, feed_of, settings, tmp_path):
    (tmp_path / "oai_dc.xsd").write_bytes(SCHEMA)
    settings.AGGREGATOR_SCHEMAS = str(tmp_path)
    summary, words, run = harvest_twice(dublin_core, feed_of)
    assert (summary["schemas"], summary["created"]) == (True, 1)
    assert RecordIssue.objects.filter(code="xsd.W106", field="oai_dc:dc").exists()
    assert "also checked against the official schema" in words
    assert "run.schemas" in observations_for_report(run)


@pytest.mark.parametrize("folder", ["", "empty", "absent"])
def test_a_harvest_without_schemas_reports_that_as_an_observation(dublin_core, feed_of, settings, tmp_path, folder):
    (tmp_path / "empty").mkdir()
    settings.AGGREGATOR_SCHEMAS = str(tmp_path / folder) if folder else ""
    summary, words, run = harvest_twice(dublin_core, feed_of)
    assert (summary["schemas"], summary["state"], summary["notices"]) == (False, "succeeded", {})
    assert "not checked against official schemas" in words
    assert "run.no_schemas" in observations_for_report(run)


def test_probe_reports_whether_the_sample_was_validated_against_schemas(dublin_core, feed_of):
    feed = feed_of(dublin_core, metadata_prefix="oai_dc")
    out = StringIO()
    call_command("probe", feed.base_url, stdout=out)
    assert "not checked against official schemas" in out.getvalue()
