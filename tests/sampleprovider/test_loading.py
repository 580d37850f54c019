"""Folders of collected XML: what becomes a record, under which identifier, and what is told about the rest."""

from pathlib import Path

import pytest

from sampleprovider.loading import Loaded, load_folders
from tests.paths import SAMPLES

RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="urn:a">'
    '<a:B rdf:about="https://x.example/books/1"><a:t>{title}</a:t></a:B></rdf:RDF>'
)
OAI = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'
    "<record><header><identifier>oai:x:1</identifier><datestamp>2024-05-06</datestamp><setSpec>s</setSpec></header>"
    '<metadata><m xmlns="">plain</m></metadata></record>'
    '<record><header status="deleted"><identifier>oai:x:2</identifier><datestamp>2024-05-07</datestamp></header>'
    "</record><record><header><identifier/></header></record></ListRecords></OAI-PMH>"
)
SRU = (
    '<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><records><record><recordData>{0}</recordData>'
    "</record></records></searchRetrieveResponse>"
)
DIAGNOSTIC = (
    '<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><diagnostics><diagnostic>'
    "<message>no such record</message></diagnostic></diagnostics></searchRetrieveResponse>"
)


def loaded(folder: Path, **files: str) -> Loaded:
    for name, text in files.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    return load_folders("p", [folder])


def listed(found: Loaded) -> list[str]:
    return sorted(record.identifier for record in found.source.holdings.listing("p", ""))


def test_a_whole_rdf_file_is_known_by_what_it_is_about(tmp_path: Path) -> None:
    assert listed(loaded(tmp_path, a=RDF)) == ["https://x.example/books/1"]


@pytest.mark.parametrize("packed", [RDF, RDF.replace("<", "&lt;")])
def test_sru_records_are_taken_nested_or_escaped(tmp_path: Path, packed: str) -> None:
    found = loaded(tmp_path, a=SRU.format(packed))
    assert listed(found) == ["https://x.example/books/1"]
    record = found.source.holdings.find("https://x.example/books/1")
    assert record.payloads["p"].startswith(b"<rdf:RDF")


def test_oai_records_keep_their_headers(tmp_path: Path) -> None:
    found = loaded(tmp_path, a=OAI)
    first, second = found.source.holdings.listing("p", "")
    assert (first.identifier, first.datestamp, first.sets) == ("oai:x:1", "2024-05-06T00:00:00Z", ("s",))
    assert first.payloads["p"] == b'<m xmlns="">plain</m>'
    assert second.deleted
    assert [problem.reason for problem in found.problems] == ["a header without an identifier"]


def test_anything_else_is_one_record_named_after_its_file(tmp_path: Path) -> None:
    found = loaded(tmp_path, plain="<m>x</m>")
    assert listed(found) == ["plain.xml"]
    assert found.source.holdings.find("plain.xml").payloads["p"] == b'<m xmlns="">x</m>'


def test_states_of_one_record_are_kept_apart_and_copies_are_counted(tmp_path: Path) -> None:
    found = loaded(tmp_path, a=RDF.format(title="1"), b=RDF.format(title="2"), c=RDF.format(title="1"))
    assert listed(found) == ["https://x.example/books/1", "https://x.example/books/1~2"]
    assert found.repeated == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<a><b></a>", "xml.E001"),
        ('<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', "xml.E002"),
        (SRU.format("&lt;a>"), "xml.E001"),
        (DIAGNOSTIC, "no such record"),
        ("", "xml.E001"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    found = loaded(tmp_path, bad=text, good=RDF)
    assert len(found.source.holdings) == 1
    (problem,) = found.problems
    assert problem.place.startswith("bad.xml")
    assert reason in problem.reason


SAMPLES = SAMPLES / "dcndl_rdf"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no samples beside the repository")
def test_real_samples_are_loaded_or_accounted_for() -> None:
    found = load_folders("dcndl", [SAMPLES])
    assert len(found.source.holdings) + found.repeated > 100
    assert all(problem.reason for problem in found.problems)
    print(f"{len(found.source.holdings)} records, {found.repeated} repeated, {len(found.problems)} problems")
