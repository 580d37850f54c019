"""Real feeds and MARC files, harvested as files: every record is read or rejected with a reason."""

import zipfile
from collections import Counter
from pathlib import Path

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.files import codes, harvest, readings, records


def counts(folder: Path) -> Counter[str]:
    result_counts: Counter[str] = Counter()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            batches = harvest(path)
        except TransportError as error:
            result_counts[error.code] += 1
            continue
        result_counts["deleted"] += sum(record.deleted for record in records(batches))
        result_counts.update("read" if reading.record else reading.issues[-1].code for reading in readings(batches))
    return result_counts


@pytest.mark.parametrize(("folder", "minimum"), [("rss1", 64), ("rss2_dcndl", 80)])
def test_every_item_of_real_feeds_is_read(samples, folder, minimum):
    result_counts = counts(samples / folder)
    assert result_counts["read"] >= minimum
    assert set(result_counts) <= {"read", "deleted", "file.unknown_xml"}


def test_real_marcxml_is_well_formed_and_mostly_read(samples, capsys):
    result_counts = counts(samples / "marcxml")
    with capsys.disabled():
        print(f"\nmarcxml: {dict(result_counts)}")
    assert result_counts["read"] >= 300
    assert "xml.malformed" not in result_counts


@pytest.mark.parametrize("folder", ["marcxml", "mods", "oai_dc", "rss1", "rss2_dcndl", "junii2"])
def test_an_archive_of_real_files_has_every_record_that_its_files_have_alone(samples, tmp_path, folder):
    """Broken files are reported and cost the others nothing; then absent records do not count as deleted."""
    alone: Counter[str] = Counter()
    refused = set()
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for member in sorted(entry for entry in (samples / folder).iterdir() if entry.is_file()):
            archive.write(member, member.name)
            try:
                alone.update(record.identifier for record in records(harvest(member)))
            except TransportError as error:
                refused.add(error.code)
    batches = harvest(path, full=True)
    together = Counter(record.identifier for record in records(batches))
    assert alone.total() > 20
    assert not alone - together
    assert not refused or {"file.broken_member", "file.skipped"} & set(codes(batches))
    assert not (refused - {"file.unknown_xml", "file.no_columns", "file.not_readable"} and batches[-1].exhaustive)
