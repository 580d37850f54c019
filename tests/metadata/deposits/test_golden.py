"""What is written for every sample of JPCOAR and junii2, compared with what was written before.

The samples are the official ones, those of repositories, the cases of the validator, and the records of whole lists.
golden.tsv has for each sample and agency a digest of the document and the number of its elements, or the codes of what
is missing. The samples themselves are not in the repository. To write the file anew after an intended change:
python -m tests.metadata.deposits.test_golden FOLDER-OF-SAMPLES
"""

import csv
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from lxml import etree

from metadata.deposits import crossref, jalc
from metadata.deposits.kinds import AGENCIES, JALC
from metadata.deposits.needs import NotRegistrable
from metadata.reading import read
from metadata.record import BibliographicRecord, Identifier
from tests.metadata.deposits.payloads import payloads_of

GOLDEN = Path(__file__).with_name("golden.tsv")
FOLDERS = ("jpcoar_1.0", "jpcoar_2.0", "jpcoar_2.1", "jpcoar_validator_cases", "junii2")
BATCH = crossref.Batch(number="1", timestamp=1, depositor="Example", email="doi@example.ac.jp", registrant="Example")
type Line = tuple[str, str, str, str]  # sample, agency, digest, number of elements or codes


def lines(samples: Path) -> Iterator[Line]:
    """Yield a line for every sample that is registered, as if it asked each agency for a DOI."""
    for folder in FOLDERS:
        for path in sorted((samples / folder).glob("*.xml")):
            for number, payload in enumerate(payloads_of(path), 1):
                record = read(payload, folder.partition("_")[0]).record
                if record is not None:
                    name = f"{folder}/{path.name}#{number}"
                    yield from ((name, agency, *outcome(record, agency)) for agency in AGENCIES)


def outcome(record: BibliographicRecord, agency: str) -> tuple[str, str]:
    """Return the digest and the number of elements of the document, which is valid; or "" and what is missing."""
    asking = msgspec.structs.replace(record, registrations=(Identifier(scheme=agency, value="10.5072/golden"),))
    try:
        document = jalc.write([asking], "SI/0000.0000") if agency == JALC else crossref.write([asking], BATCH)
    except NotRegistrable as reason:
        return "", " ".join(sorted({issue.code for issue in reason.issues}))
    root = etree.fromstring(document)
    (jalc if agency == JALC else crossref).schema().assertValid(root)
    return hashlib.sha256(document).hexdigest()[:16], str(sum(1 for _element in root.iter(etree.Element)))


def golden() -> dict[tuple[str, str], tuple[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return {(row[0], row[1]): (row[2], row[3]) for row in csv.reader(file, delimiter="\t")}


@pytest.mark.parametrize("agency", AGENCIES)
def test_every_sample_is_written_as_before(samples, agency):
    written = {(name, of): (digest, rest) for name, of, digest, rest in lines(samples) if of == agency}
    assert len(written) > 180
    expected = {key: value for key, value in golden().items() if key[1] == agency}
    assert set(written) == set(expected)
    different = {key[0]: (written[key], expected[key]) for key in written if written[key] != expected[key]}
    assert not different


if __name__ == "__main__":
    with GOLDEN.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target, delimiter="\t", lineterminator="\n").writerows(lines(Path(sys.argv[1])))
