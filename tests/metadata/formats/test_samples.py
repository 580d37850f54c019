"""Real records of many providers: they are converted or rejected with a reason, and survive a round trip."""

from collections import Counter
from pathlib import Path

import pytest

from metadata.catalogue import sentence, severity
from metadata.formats import CROSSWALKS
from metadata.reading import read, read_element
from metadata.xml.envelopes import unpack
from metadata.xml.parsing import XmlError, parse
from tests.metadata.formats.normal_numbers import with_normal_numbers
from tests.metadata.formats.through_dcndl import with_uris


def readings(folder: Path, prefix: str):
    """Yield every record in every file of a folder. A file that is not XML counts as one record."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            root = parse(path.read_bytes())
        except XmlError:
            yield path, read(path.read_bytes(), prefix)
            continue
        for enclosed in unpack(root):
            element = enclosed.element
            yield path, read(enclosed.data, prefix) if element is None else read_element(element, prefix)


@pytest.mark.parametrize(("folder", "prefix", "least"), [("dcndl_rdf", "dcndl", 100), ("oai_dc", "oai_dc", 300)])
def test_every_real_record_is_converted_or_rejected_with_a_reason(samples, capsys, folder, prefix, least):
    counts: Counter[str] = Counter()
    issue_counts: Counter[str] = Counter()
    for path, reading in readings(samples / folder, prefix):
        issue_counts.update(issue.code for issue in reading.issues)
        assert all(sentence(issue, "ja") and sentence(issue, "en") for issue in reading.issues), path
        if reading.record is None:
            assert any(severity(issue.code) == "record_error" for issue in reading.issues), path
            counts["rejected"] += 1
        else:
            assert reading.record.title, path
            counts["converted"] += 1
    with capsys.disabled():
        print(f"\n{folder}: {dict(counts)}; issues {dict(issue_counts.most_common())}")
    assert counts["converted"] >= least


@pytest.mark.parametrize(("folder", "prefix"), [("dcndl_rdf", "dcndl"), ("oai_dc", "oai_dc")])
def test_every_real_record_survives_a_round_trip(samples, folder, prefix):
    for path, reading in readings(samples / folder, prefix):
        if reading.record is not None:
            expected = with_uris(reading.record) if prefix == "dcndl" else with_normal_numbers(reading.record)
            assert read(CROSSWALKS[prefix].write(reading.record), prefix).record == expected, path


@pytest.mark.parametrize("folder", ["jpcoar_2.0", "junii2", "marcxml", "mods", "resourcesync", "rss1", "cinii_rdf"])
def test_records_of_other_formats_are_rejected_without_exceptions(samples, folder):
    for path, reading in readings(samples / folder, "dcndl"):
        assert reading.record is not None or reading.issues, path
