"""The document with which Crossref registers a DOI, and what Crossref would refuse."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from metadata.__main__ import main
from metadata.deposits import crossref
from metadata.deposits.kinds import CROSSREF
from metadata.deposits.needs import NotRegistrable, missing
from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Host, Identifier, MaterialType, Title
from tests.metadata.deposits.test_jalc import PAPER
from tests.metadata.records import RECORD

BATCH = crossref.Batch("1", 20261127, "Example University", "doi@example.ac.jp", "Example University")
REGISTRATIONS = (Identifier(scheme="Crossref", value="10.14977/12"),)
PUBLISHER = Agent(name="東京帝国大学", language="ja", other_names=(Title(value="Imperial University", language="en"),))
ENGLISH = Title(value="Journal of the College of Science", language="en")
ARTICLE = msgspec.structs.replace(
    PAPER,
    registrations=REGISTRATIONS,
    publishers=(PUBLISHER,),
    host=msgspec.structs.replace(PAPER.host, titles=(ENGLISH,)),
)
THESIS = msgspec.structs.replace(
    ARTICLE,
    host=Host(),
    material_types=(MaterialType(label="doctoral thesis"),),
    identifiers=(Identifier(scheme="ISBN", value="9784101010014"),),
)


def body(record: BibliographicRecord) -> etree._Element:
    root = etree.fromstring(crossref.write([record], BATCH))
    crossref.schema().assertValid(root)
    return root.find("{*}body")


def texts(parent: etree._Element, *names: str) -> list[str | None]:
    return [parent.findtext("/".join(f"{{*}}{part}" for part in name.split("/"))) for name in names]


def test_an_article_is_in_its_journal_with_english_names_first():
    [journal] = body(ARTICLE)
    assert texts(journal, "journal_metadata/full_title", "journal_metadata/issn") == [ENGLISH.value, "0365-9801"]
    assert texts(journal, "journal_issue/journal_volume/volume", "journal_issue/issue") == ["21", "10"]
    article = journal.find("{*}journal_article")
    assert texts(
        article, "titles/title", "titles/original_language_title", "pages/first_page", "doi_data/resource"
    ) == [
        *("Acoustics of the Shakuhachi", "尺八の音響学", "1", "https://hdl.handle.net/2261/12"),
    ]
    assert texts(article, "contributors/person_name/surname", "contributors/person_name/ORCID") == [
        *("Terada", "https://orcid.org/0000-0002-1825-0097"),
    ]


def test_a_thesis_is_a_book():
    [book] = body(THESIS)
    names = ("isbn", "publisher/publisher_name", "doi_data/doi")
    assert texts(book.find("{*}book_metadata"), *names) == ["9784101010014", "Imperial University", "10.14977/12"]
    assert book.get("book_type") == "other"


@pytest.mark.parametrize(
    ("record", "changes", "code", "lacks"),
    [
        (ARTICLE, {"registrations": PAPER.registrations}, "doi", []),
        (ARTICLE, {"registrations": (Identifier(scheme="DataCite", value="10.14977/12"),)}, "datacite", []),
        (ARTICLE, {"material_types": (MaterialType(label="dataset"),)}, "needs", ["doi.E002"]),
        (ARTICLE, {"publishers": PAPER.publishers}, "needs", ["doi.E011"]),
        (ARTICLE, {"host": Host(title=ENGLISH.value, volume="1")}, "needs", ["doi.E012"]),
        (ARTICLE, {"host": PAPER.host}, "needs", ["doi.E013"]),
        (THESIS, {"alternatives": ()}, "needs", ["doi.E014"]),
        (THESIS, {"identifiers": ()}, "needs", ["doi.E015"]),
    ],
)
def test_a_record_that_would_be_refused_says_why(record, changes, code, lacks):
    with pytest.raises(NotRegistrable) as raised:
        crossref.write([msgspec.structs.replace(record, **changes)], BATCH)
    assert (raised.value.code, [issue.code for issue in raised.value.issues]) == (code, lacks)


def test_one_document_registers_records_of_one_kind():
    assert len(etree.fromstring(crossref.write([ARTICLE, ARTICLE], BATCH)).find("{*}body")) == 2
    with pytest.raises(ValueError):
        crossref.write([ARTICLE, THESIS], BATCH)


OF_WHOLE = ("see_also", "files", "titles", "alternatives", "host", "identifiers", "publishers")


@settings(suppress_health_check=list(HealthCheck))
@given(record=RECORD, whole=st.sampled_from([ARTICLE, THESIS]), kept=st.sets(st.sampled_from(OF_WHOLE), max_size=2))
def test_what_passes_the_rules_is_valid(record, whole, kept):
    """kept: what is as generated; the rest is complete."""
    complete = {name: getattr(whole, name) for name in OF_WHOLE if name not in kept}
    about = {"registrations": whole.registrations, "material_types": whole.material_types, **complete}
    asking = msgspec.structs.replace(record, **about)
    lacks = list(missing(asking, CROSSREF))
    try:
        document = crossref.write([asking], BATCH)
    except NotRegistrable as reason:
        assert [*reason.issues] == lacks != []
        return
    assert not lacks
    crossref.schema().assertValid(etree.fromstring(document))


def test_what_asks_for_a_doi_in_the_samples_is_valid_or_lacks_something(samples):
    asked = 0
    for path in sorted(samples.glob("jpcoar_*/*.xml")):
        record = read(path.read_bytes(), "jpcoar").record
        if record is None or not record.registrations:
            continue
        try:
            body(msgspec.structs.replace(record, registrations=REGISTRATIONS))
        except NotRegistrable as reason:
            assert reason.issues, path
        asked += 1
    assert asked > 8


def test_the_command_writes_the_document_or_says_what_is_missing(tmp_path, capsys):
    file = tmp_path / "paper.xml"
    sender = ["--to", "crossref", "--depositor", "Example University <doi@example.ac.jp>", "--language", "ja"]
    file.write_bytes(CROSSWALKS["jpcoar"].write(ARTICLE))
    assert main([*sender, str(file)]) == 0
    assert "<doi>10.14977/12</doi>" in capsys.readouterr().out
    file.write_bytes(CROSSWALKS["jpcoar"].write(PAPER))
    main([*sender, str(file)])
    assert "Crossrefに" in capsys.readouterr().err
    datacite = (Identifier(scheme="DataCite", value="10.14977/12"),)
    file.write_bytes(CROSSWALKS["jpcoar"].write(msgspec.structs.replace(ARTICLE, registrations=datacite)))
    main([*sender, str(file)])
    assert "DataCiteのDOI" in capsys.readouterr().err
    for wrong in ([], ["--depositor", "no address"]):
        with pytest.raises(SystemExit):
            main(["--to", "crossref", *wrong, str(file)])
