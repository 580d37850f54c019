"""Real records of many providers in the citation formats: they can be read again and contain the main facts."""

import json
import warnings
from functools import cache
from pathlib import Path

import pytest

from metadata.__main__ import main
from metadata.citations.facts import cite, one_line
from metadata.formats import CITATIONS, CROSSWALKS, FORMATS, WRITERS
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight
from tests.metadata.citations.examples import BOTCHAN as BOOK
from tests.metadata.formats.test_samples import readings

FOLDERS = {"dcndl_rdf": "dcndl", "jpcoar_2.0": "jpcoar", "marcxml": "marcxml", "oai_dc": "oai_dc"}


pytestmark = pytest.mark.xdist_group("citations of samples")  # one process reads them


@pytest.fixture(params=FOLDERS)
def records(request, samples: Path) -> list[BibliographicRecord]:
    return records_in(samples / request.param, FOLDERS[request.param])


@cache
def records_in(folder: Path, prefix: str) -> list[BibliographicRecord]:
    found = [reading.record for _path, reading in readings(folder, prefix)]
    accepted = [record for record in found if record]
    assert len(accepted) >= 20
    return accepted


def tex_free(text: str) -> str:
    """The text as TeX prints it, as far as the commands that we write are concerned."""
    for command, char in (("\\textbackslash{}", "\\"), ("\\textasciitilde{}", "~"), ("\\textasciicircum{}", "^")):
        text = text.replace(command, char)
    return text.replace("\\textbraceleft{}", "").replace("\\textbraceright{}", "").replace("\\", "")


def assert_main_facts(written: str, record: BibliographicRecord) -> None:
    """Assert that title, creators, year, ISBN and DOI are in the text."""
    citation, folded = cite(record), fold_tight(written)
    assert fold_tight(one_line(record.title)) in folded, record.title
    for creator in record.creators:
        assert fold_tight(creator.name.split(",")[0]) in folded, creator.name
    assert citation.year in written
    assert record.year in ("", citation.year)
    assert all(isbn in written.replace("-", "") for isbn in record.values("ISBN"))
    assert not record.values("DOI") or citation.doi in written


@pytest.mark.parametrize("name", ["csl", "jsonld"])
def test_json_contains_the_main_facts(records, name):
    for record in records:
        found = json.loads(CITATIONS[name].write(record))
        assert_main_facts(json.dumps(found, ensure_ascii=False).replace('\\"', '"').replace("\\\\", "\\"), record)


def test_rispy_can_read_ris(records):
    rispy = pytest.importorskip("rispy")
    for record in records:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            [found] = rispy.loads(CITATIONS["ris"].write(record).decode())
        assert_main_facts("\n".join(map(str, found.values())), record)


@pytest.mark.slow
@pytest.mark.sample
def test_pybtex_can_read_bibtex(records):
    database = pytest.importorskip("pybtex.database")
    for record in records:
        [entry] = database.parse_string(CITATIONS["bibtex"].write(record).decode(), "bibtex").entries.values()
        people = [str(person) for persons in entry.persons.values() for person in persons]
        assert_main_facts(tex_free("\n".join([*entry.fields.values(), *people])), record)


def test_different_records_have_different_keys(records):
    keys = {CITATIONS["bibtex"].write(record).split(b"\n")[0]: record.uri or record for record in records}
    assert len(keys) == len({record.uri or record for record in records})


def test_the_table_of_writers_has_all_formats():
    forms = [writer.name for known in FORMATS.values() for writer in known.writers]
    assert list(WRITERS) == [*forms, "jsonld", "ris", "bibtex", "csl"]
    assert [citation.ending for citation in CITATIONS.values()] == ["jsonld", "ris", "bib", "csl.json"]


@pytest.mark.parametrize(
    ("name", "start"), [("ris", "TY  - BOOK"), ("bibtex", "@book{"), ("csl", "[{"), ("jsonld", "{")]
)
def test_the_command_writes_citations(tmp_path, capsys, name, start):
    path = tmp_path / "1.xml"
    path.write_bytes(CROSSWALKS["dcndl"].write(BOOK))
    assert main([str(path), "--to", name]) == 0
    assert capsys.readouterr().out.startswith(start)
