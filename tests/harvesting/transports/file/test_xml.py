"""XML files in different wrappers, intact and damaged."""

import pytest

from harvesting.types import TransportError
from tests.books import book
from tests.harvesting.transports.feeds import item, rss
from tests.harvesting.transports.files import codes, harvest, issues, records, titles, transport, write
from tests.metadata.documents import oai_dc

OAI = "http://www.openarchives.org/OAI/2.0/"
MARC = "http://www.loc.gov/MARC21/slim"


def without_declaration(document: bytes) -> str:
    """The document without its XML declaration."""
    return document.decode().partition("?>\n")[2] or document.decode()


def oai_record(number: int, payload: str = "", status: str = "") -> str:
    header = f"<identifier>oai:x:{number}</identifier><datestamp>2026-01-01</datestamp><setSpec>a</setSpec>"
    metadata = f"<metadata>{payload}</metadata>" if payload else ""
    return f'<record><header status="{status}">{header}</header>{metadata}</record>'


def oai(*inner: str) -> str:
    return f'<OAI-PMH xmlns="{OAI}"><ListRecords>{"".join(inner)}</ListRecords></OAI-PMH>'


def marcxml(number: int, title: str = "") -> str:
    title_field = f'<datafield tag="245"><subfield code="a">{title or f"本{number}"}</subfield></datafield>'
    return (
        f'<record xmlns="{MARC}"><leader>00000nam a2200000 a 4500</leader>'
        f'<controlfield tag="001">{number}</controlfield>{title_field}</record>'
    )


def refusal(address: object, **source: object) -> str:
    with pytest.raises(TransportError) as caught:
        harvest(address, source=source)
    return caught.value.code


def test_an_oai_response_keeps_its_headers_and_deletions(tmp_path):
    dc = without_declaration(oai_dc())
    batches = harvest(write(tmp_path, oai(oai_record(1, dc), oai_record(2, status="Deleted"))), full=True)
    first, second = records(batches)
    assert (first.identifier, first.datestamp, first.set_specs) == ("oai:x:1", "2026-01-01", ("a",))
    assert second.deleted
    assert (titles(batches), batches[-1].exhaustive) == (["坊っちゃん"], True)
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "oai_dc"


def test_one_page_of_a_longer_list_is_not_exhaustive(tmp_path):
    page = oai(oai_record(1, without_declaration(oai_dc())), "<resumptionToken>t</resumptionToken>")
    batches = harvest(write(tmp_path, page), full=True)
    assert (codes(batches), batches[-1].exhaustive) == (["file.one_page"], False)


@pytest.mark.parametrize("wrapper", ["collection", "records", "find-doc"])
def test_a_collection_of_marcxml_is_read(tmp_path, wrapper):
    batches = harvest(write(tmp_path, f"<{wrapper}>{marcxml(1)}{marcxml(2)}</{wrapper}>"))
    assert [record.identifier for record in records(batches)] == ["1", "2"]
    assert titles(batches) == ["本1", "本2"]


def test_an_sru_response_is_read_in_both_packings(tmp_path):
    escaped = without_declaration(oai_dc()).replace("&", "&amp;").replace("<", "&lt;")
    data = "".join(
        f"<record><recordData>{record_data}</recordData></record>"
        for record_data in (escaped, without_declaration(oai_dc()))
    )
    response = f'<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><records>{data}</records>'
    assert titles(harvest(write(tmp_path, f"{response}</searchRetrieveResponse>"))) == ["坊っちゃん"] * 2


def test_one_rdf_with_several_books_is_split(tmp_path):
    first, second = (without_declaration(book(name, title=name)) for name in ("b1", "b2"))
    start, end = first.index(">") + 1, "</rdf:RDF>"
    combined = first[:start] + first[start:].removesuffix(end).replace(end, "") + second[second.index(">") + 1 :]
    batches = harvest(write(tmp_path, combined))
    assert titles(batches) == ["b1", "b2"]
    assert len({record.identifier for record in records(batches)}) == 2
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "dcndl"


def test_a_single_record_is_identified_by_its_own_data(tmp_path):
    (record,) = records(harvest(write(tmp_path, oai_dc())))
    assert record.identifier == "https://opac.example.jp/bib/1"


def test_a_file_may_contain_a_feed(tmp_path):
    assert titles(harvest(write(tmp_path, rss(item(1), item(2))))) == ["見本の本1", "見本の本2"]


def test_only_the_broken_records_are_rejected(tmp_path):
    batches = harvest(
        write(tmp_path, f"<collection>{marcxml(1)}{marcxml(2, 'a & b')}{marcxml(3)}</collection>"), full=True
    )
    assert titles(batches) == ["本1", "本3"]
    assert [record.identifier for record in records(batches)] == ["1", "2", "3"]
    assert (issues(batches), codes(batches)) == (["xml.E001"], ["file.broken_records"])
    assert batches[-1].exhaustive


def test_a_broken_record_without_an_identifier_is_not_exhaustive(tmp_path):
    without_identifier = marcxml(2, "a & b").replace('tag="001"', 'tag="009"')
    batches = harvest(write(tmp_path, f"<collection>{marcxml(1)}{without_identifier}</collection>"), full=True)
    assert not batches[-1].exhaustive


def test_only_the_broken_record_of_an_oai_response_is_rejected(tmp_path):
    inner = [oai_record(n, marcxml(n, "a & b" if n == 2 else "")) for n in (1, 2, 3)]
    batches = harvest(write(tmp_path, oai(*inner)))
    assert titles(batches) == ["本1", "本3"]
    assert [record.identifier for record in records(batches)] == ["oai:x:1", "oai:x:2", "oai:x:3"]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (f"<collection>{marcxml(1)}{marcxml(2)}", "xml.malformed"),
        (f"<collection>{marcxml(1)}{marcxml(2)[:-30]}", "xml.malformed"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><collection>&b;</collection>', "xml.forbidden"),
        ("<svg><rect/></svg>", "file.unknown_xml"),
        ("<!DOCTYPE html><html/>", "file.not_readable"),
        (f"<collection><record>{'<a>' * 300}", "xml.malformed"),
    ],
)
def test_unreadable_files_get_specific_errors(tmp_path, document, code):
    assert refusal(write(tmp_path, document)) == code


def test_the_registered_encoding_is_used(tmp_path):
    path = write(tmp_path, f"<collection>{marcxml(1, '坊っちゃん')}</collection>".encode("cp932"))
    assert titles(harvest(path, source={"encoding": "Shift_JIS"})) == ["坊っちゃん"]


def test_an_interrupted_run_resumes_after_the_stored_records(tmp_path):
    path = write(tmp_path, f"<collection>{''.join(map(marcxml, range(250)))}</collection>")
    batches = harvest(path)
    resumed = harvest(path, resumption_token=batches[0].resumption_token)
    assert [record.identifier for record in records(resumed)] == [str(n) for n in range(200, 250)]


def test_records_of_oai_pmh_without_a_namespace_are_unwrapped(tmp_path):
    payload = without_declaration(oai_dc(title="<dc:title>猫</dc:title>"))
    (batch,) = harvest(write(tmp_path, f"<records>{oai_record(1, payload)}{oai_record(2, status='deleted')}</records>"))
    assert [(record.identifier, record.deleted) for record in batch.records] == [("oai:x:1", False), ("oai:x:2", True)]
    assert titles([batch]) == ["猫"]


def test_a_single_record_of_oai_pmh_without_a_namespace_is_unwrapped(tmp_path):
    (batch,) = harvest(write(tmp_path, oai_record(1, without_declaration(oai_dc(title="<dc:title>猫</dc:title>")))))
    assert (batch.records[0].identifier, titles([batch])) == ("oai:x:1", ["猫"])
