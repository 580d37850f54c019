"""Loading folders of collected XML: records, their identifiers, and the problems that are reported."""

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


def listed(result: Loaded) -> list[str]:
    return sorted(record.identifier for record in result.source.holdings.listing("p", ""))


def test_an_rdf_file_gets_the_identifier_of_what_it_describes(tmp_path: Path) -> None:
    assert listed(loaded(tmp_path, a=RDF)) == ["https://x.example/books/1"]


@pytest.mark.parametrize("packed", [RDF, RDF.replace("<", "&lt;")])
def test_sru_records_are_read_nested_or_escaped(tmp_path: Path, packed: str) -> None:
    result = loaded(tmp_path, a=SRU.format(packed))
    assert listed(result) == ["https://x.example/books/1"]
    record = result.source.holdings.find("https://x.example/books/1")
    assert record.payloads["p"].startswith(b"<rdf:RDF")


def test_oai_records_keep_their_headers(tmp_path: Path) -> None:
    result = loaded(tmp_path, a=OAI)
    first, second = result.source.holdings.listing("p", "")
    assert (first.identifier, first.datestamp, first.sets) == ("oai:x:1", "2024-05-06T00:00:00Z", ("s",))
    assert first.payloads["p"] == b'<m xmlns="">plain</m>'
    assert second.deleted
    assert [problem.reason for problem in result.problems] == ["a header without an identifier"]


def test_any_other_document_is_one_record_named_after_its_file(tmp_path: Path) -> None:
    result = loaded(tmp_path, plain="<m>x</m>")
    assert listed(result) == ["plain.xml"]
    assert result.source.holdings.find("plain.xml").payloads["p"] == b'<m xmlns="">x</m>'


def test_versions_of_a_record_are_distinguished_and_copies_are_counted(tmp_path: Path) -> None:
    result = loaded(tmp_path, a=RDF.format(title="1"), b=RDF.format(title="2"), c=RDF.format(title="1"))
    assert listed(result) == ["https://x.example/books/1", "https://x.example/books/1~2"]
    assert result.repeated == 1


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
def test_unreadable_files_are_reported_with_their_place(tmp_path: Path, text: str, reason: str) -> None:
    result = loaded(tmp_path, bad=text, good=RDF)
    assert len(result.source.holdings) == 1
    (problem,) = result.problems
    assert problem.place.startswith("bad.xml")
    assert reason in problem.reason


SAMPLES = SAMPLES / "dcndl_rdf"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no samples beside the repository")
def test_real_samples_are_loaded_or_reported() -> None:
    result = load_folders("dcndl", [SAMPLES])
    assert len(result.source.holdings) + result.repeated > 100
    assert all(problem.reason for problem in result.problems)
    print(f"{len(result.source.holdings)} records, {result.repeated} repeated, {len(result.problems)} problems")
