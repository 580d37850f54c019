"""XML files of any wrapper, whole and damaged."""

import pytest

from harvesting.types import TransportError
from tests.books import book
from tests.harvesting.transports.feeds import item, rss
from tests.harvesting.transports.files import batches, codes, issues, records, titles, transport, write
from tests.metadata.documents import oai_dc

OAI = "http://www.openarchives.org/OAI/2.0/"
MARC = "http://www.loc.gov/MARC21/slim"


def bare(document: bytes) -> str:
    """Without its XML declaration."""
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
        batches(address, source=source)
    return caught.value.code


def test_an_oai_response_keeps_its_headers_and_deletions(tmp_path):
    dc = bare(oai_dc())
    found = batches(write(tmp_path, oai(oai_record(1, dc), oai_record(2, status="Deleted"))), full=True)
    one, two = records(found)
    assert (one.identifier, one.datestamp, one.set_specs) == ("oai:x:1", "2026-01-01", ("a",))
    assert two.deleted
    assert (titles(found), found[-1].exhaustive) == (["坊っちゃん"], True)
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "oai_dc"


def test_one_page_of_a_longer_list_concludes_nothing_from_absence(tmp_path):
    page = oai(oai_record(1, bare(oai_dc())), "<resumptionToken>t</resumptionToken>")
    found = batches(write(tmp_path, page), full=True)
    assert (codes(found), found[-1].exhaustive) == (["file.one_page"], False)


@pytest.mark.parametrize("wrapper", ["collection", "records", "find-doc"])
def test_a_collection_of_marcxml_is_read(tmp_path, wrapper):
    found = batches(write(tmp_path, f"<{wrapper}>{marcxml(1)}{marcxml(2)}</{wrapper}>"))
    assert [record.identifier for record in records(found)] == ["1", "2"]
    assert titles(found) == ["本1", "本2"]


def test_an_sru_response_is_read_in_both_packings(tmp_path):
    packed = bare(oai_dc()).replace("&", "&amp;").replace("<", "&lt;")
    data = "".join(f"<record><recordData>{each}</recordData></record>" for each in (packed, bare(oai_dc())))
    response = f'<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><records>{data}</records>'
    assert titles(batches(write(tmp_path, f"{response}</searchRetrieveResponse>"))) == ["坊っちゃん"] * 2


def test_one_rdf_with_several_books_is_taken_apart(tmp_path):
    one, two = (bare(book(name, title=name)) for name in ("b1", "b2"))
    start, end = one.index(">") + 1, "</rdf:RDF>"
    both = one[:start] + one[start:].removesuffix(end).replace(end, "") + two[two.index(">") + 1 :]
    found = batches(write(tmp_path, both))
    assert titles(found) == ["b1", "b2"]
    assert len({record.identifier for record in records(found)}) == 2
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "dcndl"


def test_a_record_alone_is_known_by_what_it_says_of_itself(tmp_path):
    (record,) = records(batches(write(tmp_path, oai_dc())))
    assert record.identifier == "https://opac.example.jp/bib/1"


def test_a_feed_may_lie_in_a_file(tmp_path):
    assert titles(batches(write(tmp_path, rss(item(1), item(2))))) == ["見本の本1", "見本の本2"]


def test_broken_records_are_rejected_alone(tmp_path):
    found = batches(
        write(tmp_path, f"<collection>{marcxml(1)}{marcxml(2, 'a & b')}{marcxml(3)}</collection>"), full=True
    )
    assert titles(found) == ["本1", "本3"]
    assert [record.identifier for record in records(found)] == ["1", "2", "3"]
    assert (issues(found), codes(found)) == (["xml.E001"], ["file.broken_records"])
    assert found[-1].exhaustive


def test_a_broken_record_without_a_name_forbids_conclusions_from_absence(tmp_path):
    nameless = marcxml(2, "a & b").replace('tag="001"', 'tag="009"')
    found = batches(write(tmp_path, f"<collection>{marcxml(1)}{nameless}</collection>"), full=True)
    assert not found[-1].exhaustive


def test_a_broken_record_of_an_oai_response_is_rejected_alone(tmp_path):
    inner = [oai_record(n, marcxml(n, "a & b" if n == 2 else "")) for n in (1, 2, 3)]
    found = batches(write(tmp_path, oai(*inner)))
    assert titles(found) == ["本1", "本3"]
    assert [record.identifier for record in records(found)] == ["oai:x:1", "oai:x:2", "oai:x:3"]


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
def test_what_cannot_be_read_is_named(tmp_path, document, code):
    assert refusal(write(tmp_path, document)) == code


def test_an_encoding_that_a_person_names_is_believed(tmp_path):
    path = write(tmp_path, f"<collection>{marcxml(1, '坊っちゃん')}</collection>".encode("cp932"))
    assert titles(batches(path, source={"encoding": "Shift_JIS"})) == ["坊っちゃん"]


def test_a_killed_run_goes_on_behind_what_is_stored(tmp_path):
    path = write(tmp_path, f"<collection>{''.join(map(marcxml, range(250)))}</collection>")
    found = batches(path)
    rest = batches(path, resumption_token=found[0].resumption_token)
    assert [record.identifier for record in records(rest)] == [str(n) for n in range(200, 250)]
