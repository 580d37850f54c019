"""The rules `doi.*`: what a record that asks for a DOI has to have, as a reader of it is told."""

import msgspec
import pytest

from metadata.catalogue import RULES, sentence, successors
from metadata.deposits import jalc
from metadata.deposits.needs import check_deposit
from metadata.deposits.terms import Terms, check_terms
from metadata.formats import CROSSWALKS
from metadata.issue import Profile, Severity
from metadata.policy import Policy
from metadata.reading import read
from metadata.record import Host, Identifier
from tests.metadata.deposits.test_jalc import PAPER, SITE

WITHOUT_VOLUME = msgspec.structs.replace(PAPER, host=Host())
IRDB = Policy(profile=Profile.IRDB)


def codes(record, prefix="jpcoar", policy=IRDB):
    reading = read(CROSSWALKS[prefix].write(record), prefix, policy)
    return {issue.code for issue in reading.issues if issue.code.startswith("doi.")}, reading.record is not None


def test_a_record_whose_doi_cannot_be_registered_is_an_error_for_irdb_only():
    assert codes(PAPER) == (set(), True)
    assert codes(WITHOUT_VOLUME) == ({"doi.E006", "doi.I010"}, False)
    for profile in (Profile.NDL, Profile.LAX):
        assert codes(WITHOUT_VOLUME, policy=Policy(profile=profile)) == ({"doi.E006", "doi.I010"}, True)
        assert Policy(profile=profile).severity("doi.E006") is Severity.WARNING


def test_a_record_that_asks_for_no_doi_needs_nothing():
    assert list(check_deposit(msgspec.structs.replace(WITHOUT_VOLUME, registrations=()))) == []
    data_cite = (Identifier(scheme="DataCite", value="10.14977/12"),)
    assert list(check_deposit(msgspec.structs.replace(WITHOUT_VOLUME, registrations=data_cite))) == []


@pytest.mark.parametrize(("prefix", "field"), [("jpcoar", "jpcoar:volume"), ("junii2", "volume")])
def test_the_missing_element_has_the_name_of_the_format(prefix, field):
    reading = read(CROSSWALKS[prefix].write(WITHOUT_VOLUME), prefix)
    [issue] = [issue for issue in reading.issues if issue.code == "doi.E006"]
    assert issue.field == field
    assert field in sentence(issue, "ja")
    assert "JaLC" in sentence(issue, "en")


def test_what_is_given_in_place_of_a_gap_is_what_is_written():
    gaps = msgspec.structs.replace(PAPER, publishers=(), issued="", host=msgspec.structs.replace(PAPER.host, pages=""))
    words = {issue.field: issue.result for issue in check_deposit(gaps)}
    document = jalc.write([gaps], SITE).decode()
    assert set(words) == {"dc:publisher", "datacite:date", "jpcoar:pageStart"}
    assert f"<publisher_name>{words['dc:publisher']}</publisher_name>" in document
    assert f"<first_page>{words['jpcoar:pageStart']}</first_page>" in document
    assert f"<date>{words['datacite:date'].replace('-', '')}</date>" in document


def test_two_abstracts_in_one_language_are_reported():
    abstract = b'<datacite:description descriptionType="Abstract" xml:lang="%s">x</datacite:description>'
    document = CROSSWALKS["jpcoar"].write(PAPER)
    ends = document.rindex(b"<jpcoar:identifier ")
    for languages, found in (((b"ja", b"ja"), {"doi.E016"}), ((b"ja", b"en"), set())):
        abstracts = b"".join(abstract % language for language in languages)
        sent = (
            document[:ends]
            + abstracts.replace(b"datacite:", b"d:").replace(
                b"<d:description", b'<d:description xmlns:d="https://schema.datacite.org/meta/kernel-4/"'
            )
            + document[ends:]
        )
        assert {issue.code for issue in read(sent, "jpcoar").issues if issue.code == "doi.E016"} == found


def test_earlier_codes_lead_to_the_rules_that_replace_them():
    assert successors("junii2.W018") == ["doi.E001"]
    assert "doi.E006" in successors("jpcoar.W012")
    assert not {code for rule in RULES.values() for code in rule.replaces} & RULES.keys()


@pytest.mark.parametrize(
    ("prefixes", "hosts", "found"),
    [
        ({}, ("other.example.jp",), set()),
        ({"JaLC": ("10.14977",)}, (), set()),
        ({"JaLC": ("10.1497", "10.12345")}, (), {"doi.E021"}),
        ({"Crossref": ("10.14977",)}, (), {"doi.E021"}),
        ({"JaLC": ("10.14977",)}, ("example.ac.jp",), set()),
        ({"JaLC": ("10.14977",)}, ("ample.ac.jp", "other.example.jp"), {"doi.E024"}),
    ],
)
def test_a_doi_keeps_to_what_its_provider_has_agreed(prefixes, hosts, found):
    page = msgspec.structs.replace(PAPER, see_also=("https://repository.example.ac.jp/records/12",))
    assert {issue.code for issue in check_terms(page, Terms(prefixes=prefixes, hosts=hosts))} == found
    handle = {issue.code for issue in check_terms(PAPER, Terms(prefixes=prefixes, hosts=hosts))}
    assert handle == found - {"doi.E024"}
