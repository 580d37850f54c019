"""Real feeds and MARC files, read as files: every record becomes a book or is rejected with a reason."""

from collections import Counter
from pathlib import Path

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.files import batches, readings, records


def counts(folder: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            read = batches(path)
        except TransportError as error:
            found[error.code] += 1
            continue
        found["deleted"] += sum(record.deleted for record in records(read))
        found.update("read" if reading.record else reading.issues[-1].code for reading in readings(read))
    return found


@pytest.mark.parametrize(("folder", "least"), [("rss1", 64), ("rss2_dcndl", 80)])
def test_every_item_of_real_feeds_is_read(samples, folder, least):
    found = counts(samples / folder)
    assert found["read"] >= least
    assert set(found) <= {"read", "deleted", "file.unknown_xml"}


def test_real_marcxml_is_read_or_rejected_for_want_of_a_title(samples, capsys):
    found = counts(samples / "marcxml")
    with capsys.disabled():
        print(f"\nmarcxml: {dict(found)}")
    assert found["read"] >= 300
    assert "xml.malformed" not in found
