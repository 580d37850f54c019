"""The document with which JaLC registers a DOI, and what JaLC would refuse."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from metadata.__main__ import main
from metadata.deposits import jalc
from metadata.deposits.kinds import JALC
from metadata.deposits.needs import NotRegistrable, missing
from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import (
    Agent,
    BibliographicRecord,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    MaterialType,
    Relation,
    Title,
)
from tests.metadata.records import RECORD

SITE = "SI/0000.0000"
PAGE = "https://repository.example.ac.jp/records/12"
PAPER = BibliographicRecord(
    titles=(Title(value="尺八の音響学", language="ja", transcription="シャクハチ ノ オンキョウガク"),),
    alternatives=(Title(value="Acoustics of the Shakuhachi", language="en", kind="parallel"),),
    creators=(
        Agent(
            name="寺田, 寅彦",
            transcription="テラダ, トラヒコ",
            language="ja",
            other_names=(Title(value="Terada, Torahiko", language="en"),),
            identifiers=(Identifier(scheme="ORCID", value="0000-0002-1825-0097"),),
            affiliations=(Agent(name="東京帝国大学", language="ja"),),
        ),
        Agent(name="理化学研究所", language="ja"),
    ),
    publishers=(Agent(name="東京帝国大学", language="ja"),),
    issued="1907-06",
    identifiers=(Identifier(scheme="DOI", value="10.14977/12"),),
    registrations=(Identifier(scheme="JaLC", value="10.14977/12"),),
    material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="departmental bulletin paper"),),
    host=Host(title="東京帝国大学理科大学紀要", volume="第21巻", number="10", pages="1-34", issn=("03659801",)),
    see_also=(PAGE, "https://hdl.handle.net/2261/12"),
    files=(File(uri="https://repository.example.ac.jp/files/12.pdf", type="fulltext"),),
    relations=(Relation(type="relation", uri="https://doi.org/10.1000/1", term="isReferencedBy", scheme="DOI"),),
    fundings=(
        Funding(
            funder=Agent(name="文部省", identifiers=(Identifier(scheme="e-Rad_funder", value="1001"),)),
            award=Identifier(value="JP01234567"),
        ),
    ),
)
DATA = msgspec.structs.replace(
    PAPER,
    material_types=(MaterialType(label="dataset"),),
    host=Host(),
    contributors=(Agent(name="夏目, 漱石", role="DataCollector", language="ja"),),
    other_dates=(Date(type="created", value="1906"),),
)


def content(record: BibliographicRecord) -> etree._Element:
    root = etree.fromstring(jalc.write([record], SITE))
    jalc.schema().assertValid(root)
    return root.find("body/content")


def test_a_paper_is_written_in_the_order_of_the_table():
    paper = content(PAPER)
    assert [part.tag for part in paper] == [
        *("doi", "url", "journal_id_list", "title_list", "creator_list", "publication_date", "relation_list"),
        *("publisher", "volume", "issue", "first_page", "last_page", "fund_list"),
    ]
    assert paper.get("classification") == "article"
    texts = ("doi", "url", "journal_id_list/journal_id", "volume", "issue", "first_page", "last_page")
    assert [paper.findtext(name) for name in texts] == [
        *("10.14977/12", "https://hdl.handle.net/2261/12", "0365-9801", "21", "10", "1", "34"),
    ]
    assert paper.getparent().findtext("site_id") == SITE


def test_names_are_given_once_in_each_language_and_readings_in_none():
    creators = content(PAPER).findall("creator_list/creator")
    names = [[(part.tag, part.text) for part in name] for name in creators[0].findall("names")]
    assert names == [
        [("last_name", "寺田"), ("first_name", "寅彦")],
        [("last_name", "Terada"), ("first_name", "Torahiko")],
    ]
    assert [name.get("lang") for name in creators[0].findall("names")] == ["ja", "en"]
    assert [(part.tag, part.text) for part in creators[1].find("names")] == [("first_name", "理化学研究所")]
    titles = [(entry.get("lang"), entry.findtext("title")) for entry in content(PAPER).findall("title_list/titles")]
    assert titles == [("ja", "尺八の音響学"), ("en", "Acoustics of the Shakuhachi")]


@pytest.mark.parametrize(
    ("issued", "date", "whole"),
    [
        ("1907", ["1907"], None),
        ("1907-06", ["1907", "06"], None),
        ("1907-06-30", ["1907", "06", "30"], "19070630"),
        ("", ["9999", "01", "01"], "99990101"),
        ("© 1907", ["1907"], None),
    ],
)
def test_a_date_is_as_precise_as_it_is_known(issued, date, whole):
    paper = content(msgspec.structs.replace(PAPER, issued=issued))
    assert [part.text for part in paper.find("publication_date")] == date
    assert paper.findtext("date") == whole


def test_without_an_issue_the_date_of_the_degree_counts():
    dates = (Date(type="created", value="1906"), Date(type="dateGranted", value="1908-03-25"))
    thesis = msgspec.structs.replace(
        PAPER, issued="", other_dates=dates, host=Host(), material_types=(MaterialType(label="doctoral thesis"),)
    )
    written = content(thesis)
    assert written.findtext("publication_date/year") == "1908"
    assert written.findtext("book_classification") == "03"
    assert written.getparent().getparent().findtext("head/content_classification") == "02"


def test_what_may_be_unknown_has_the_words_of_the_agency():
    bare = msgspec.structs.replace(PAPER, publishers=(), host=msgspec.structs.replace(PAPER.host, pages=""))
    paper = content(bare)
    assert (paper.findtext("publisher/publisher_name"), paper.findtext("first_page")) == ("出版社不明", "none")


def test_only_data_have_contributors_and_all_dates():
    data = content(DATA)
    assert data.find("contributor_list/contributor").get("contributor_type") == "DataCollector"
    assert [(date.get("type"), date.text) for date in data.findall("date_list/date")] == [
        ("Issued", "1907-06"),
        ("Created", "1906"),
    ]
    assert content(msgspec.structs.replace(PAPER, contributors=DATA.contributors)).find("contributor_list") is None


@pytest.mark.parametrize(
    ("changes", "code", "lacks"),
    [
        ({"registrations": ()}, "doi", []),
        ({"registrations": (Identifier(scheme="Crossref", value="10.14977/12"),)}, "doi", []),
        ({"material_types": (MaterialType(label="video"),)}, "needs", ["doi.E002"]),
        ({"titles": (), "alternatives": ()}, "needs", ["doi.E003"]),
        ({"see_also": ()}, "needs", ["doi.E004"]),
        ({"files": ()}, "needs", ["doi.E005"]),
        ({"host": Host()}, "needs", ["doi.E006"]),
        ({"registrations": (Identifier(scheme="JaLC", value=f"10.14977/{'1' * 300}"),)}, "needs", ["doi.E007"]),
        ({"see_also": (f"{PAGE}?{'x' * 2000}",)}, "needs", ["doi.E104"]),
    ],
)
def test_a_record_that_would_be_refused_says_why(changes, code, lacks):
    with pytest.raises(NotRegistrable) as raised:
        jalc.write([msgspec.structs.replace(PAPER, **changes)], SITE)
    assert (raised.value.code, [issue.code for issue in raised.value.issues]) == (code, lacks)


def test_one_document_registers_several_records_of_one_kind():
    root = etree.fromstring(jalc.write([PAPER, PAPER], SITE))
    assert [part.get("sequence") for part in root.findall("body/content")] == ["0", "1"]
    with pytest.raises(ValueError):
        jalc.write([PAPER, DATA], SITE)


@settings(suppress_health_check=list(HealthCheck))
@given(record=RECORD, kind=st.sampled_from([*PAPER.material_types, *DATA.material_types, MaterialType(label="book")]))
def test_what_passes_the_rules_is_valid(record, kind):
    asking = msgspec.structs.replace(
        record,
        registrations=PAPER.registrations,
        material_types=(kind,),
        see_also=record.see_also or PAPER.see_also,
        files=record.files or PAPER.files,
        titles=record.titles or PAPER.titles,
    )
    lacks = list(missing(asking, JALC))
    try:
        document = jalc.write([asking], SITE)
    except NotRegistrable as reason:
        assert list(reason.issues) == lacks != []
        return
    assert not lacks
    jalc.schema().assertValid(etree.fromstring(document))


def test_what_asks_for_a_doi_in_the_samples_is_valid(samples):
    written = 0
    for path in sorted(samples.glob("jpcoar_*/*.xml")):
        record = read(path.read_bytes(), "jpcoar").record
        if record is None or not record.registrations:
            continue
        try:
            jalc.schema().assertValid(etree.fromstring(jalc.write([record], SITE)))
            written += 1
        except NotRegistrable as reason:
            assert reason.code != "needs" or {issue.code for issue in reason.issues} <= {"doi.E002", "doi.E004"}, path
    assert written > 8


def test_the_command_writes_the_document_or_says_what_is_missing(tmp_path, capsys):
    file = tmp_path / "paper.xml"
    file.write_bytes(CROSSWALKS["jpcoar"].write(PAPER))
    assert main(["--to", "jalc", "--site-id", SITE, str(file)]) == 0
    assert "<doi>10.14977/12</doi>" in capsys.readouterr().out
    file.write_bytes(CROSSWALKS["jpcoar"].write(msgspec.structs.replace(PAPER, files=())))
    main(["--to", "jalc", "--site-id", SITE, "--language", "ja", str(file)])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "本文の URL（jpcoar:file/jpcoar:URI）がない" in printed.err
    with pytest.raises(SystemExit):
        main(["--to", "jalc", str(file)])
