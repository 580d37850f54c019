"""Real records of many providers in the four citation formats: each can be read again, and says what counts."""

import json
import warnings
from pathlib import Path

import pytest

from metadata.__main__ import main
from metadata.citations.facts import cite, line
from metadata.formats import CITATIONS, CROSSWALKS, WRITERS
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight
from tests.metadata.citations.examples import BOTCHAN as BOOK
from tests.metadata.formats.test_samples import readings

FOLDERS = {"dcndl_rdf": "dcndl", "jpcoar_2.0": "jpcoar", "marcxml": "marcxml", "oai_dc": "oai_dc"}


@pytest.fixture(params=FOLDERS)
def records(request, samples: Path) -> list[BibliographicRecord]:
    found = [reading.record for _path, reading in readings(samples / request.param, FOLDERS[request.param])]
    accepted = [record for record in found if record]
    assert len(accepted) >= 20
    return accepted


def tex_free(text: str) -> str:
    """The text as TeX prints it, as far as we write commands."""
    for command, char in (("\\textbackslash{}", "\\"), ("\\textasciitilde{}", "~"), ("\\textasciicircum{}", "^")):
        text = text.replace(command, char)
    return text.replace("\\textbraceleft{}", "").replace("\\textbraceright{}", "").replace("\\", "")


def says(written: str, record: BibliographicRecord) -> None:
    """Title, everybody, year, ISBN and DOI are in the text."""
    cited, folded = cite(record), fold_tight(written)
    assert fold_tight(line(record.title)) in folded, record.title
    for each in record.creators:
        assert fold_tight(each.name.split(",")[0]) in folded, each.name
    assert cited.year in written
    assert record.year in ("", cited.year)
    assert all(isbn in written.replace("-", "") for isbn in record.values("ISBN"))
    assert not record.values("DOI") or cited.doi in written


@pytest.mark.parametrize("name", ["csl", "jsonld"])
def test_json_says_what_counts(records, name):
    for record in records:
        found = json.loads(CITATIONS[name].write(record))
        says(json.dumps(found, ensure_ascii=False).replace('\\"', '"').replace("\\\\", "\\"), record)


def test_ris_is_read_by_another_reader(records):
    rispy = pytest.importorskip("rispy")
    for record in records:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            [found] = rispy.loads(CITATIONS["ris"].write(record).decode())
        says("\n".join(map(str, found.values())), record)


def test_bibtex_is_read_by_another_reader(records):
    database = pytest.importorskip("pybtex.database")
    for record in records:
        [entry] = database.parse_string(CITATIONS["bibtex"].write(record).decode(), "bibtex").entries.values()
        people = [str(each) for some in entry.persons.values() for each in some]
        says(tex_free("\n".join([*entry.fields.values(), *people])), record)


def test_different_records_have_different_keys(records):
    keys = {CITATIONS["bibtex"].write(each).split(b"\n")[0]: each.uri or each for each in records}
    assert len(keys) == len({each.uri or each for each in records})


def test_one_table_holds_all_that_can_be_written():
    assert list(WRITERS) == [*CROSSWALKS, "jsonld", "ris", "bibtex", "csl"]
    assert [each.ending for each in CITATIONS.values()] == ["jsonld", "ris", "bib", "csl.json"]


@pytest.mark.parametrize(
    ("name", "start"), [("ris", "TY  - BOOK"), ("bibtex", "@book{"), ("csl", "[{"), ("jsonld", "{")]
)
def test_the_command_writes_citations(tmp_path, capsys, name, start):
    path = tmp_path / "1.xml"
    path.write_bytes(CROSSWALKS["dcndl"].write(BOOK))
    assert main([str(path), "--to", name]) == 0
    assert capsys.readouterr().out.startswith(start)
