"""Issues held, and the numbers by which records name earlier and later titles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.record import BibliographicRecord, Identifier, MaterialType, Relation
from metadata.serials import combined_issues, is_serial, own_numbers, related_numbers
from tests.metadata.formats.marc.test_read import field, read_marc


@pytest.mark.parametrize(
    ("texts", "combined"),
    [
        (["1-12", "13-20"], ("1-20",)),
        (["1-12,14", "13", "16+"], ("1-14,16-",)),
        (["１〜３、５", "4"], ("1-5",)),
        (["3-", "1"], ("1,3-",)),
        (["1-3", "1-3"], ("1-3",)),
        (["1(1950)-12(1962)", "2"], ("2", "1(1950)-12(1962)")),
        (["最新5年分", ""], ("最新5年分",)),
        (["9-3"], ("9-3",)),
        ([], ()),
    ],
)
def test_issues_of_several_copies_are_combined_where_they_are_numbers(texts, combined):
    assert combined_issues(texts) == combined


@given(st.lists(st.text("0123456789-+, 号", max_size=12), max_size=4))
def test_combining_again_changes_nothing(texts):
    once = combined_issues(texts)
    assert combined_issues(once) == once


@pytest.mark.parametrize(
    ("relation", "numbers"),
    [
        (Relation(type="replaces", scheme="ISSN", number="0385-4914"), {("ISSN", "03854914")}),
        (Relation(type="replaces", uri="http://iss.ndl.go.jp/issnl/03854914"), {("ISSN", "03854914")}),
        (Relation(type="replaces", uri="urn:issn:0385-4914"), {("ISSN", "03854914")}),
        (Relation(type="replaces", uri="https://id.ndl.go.jp/bib/000010932075"), {("NDLBibID", "000010932075")}),
        (
            Relation(type="replaces", uri="http://iss.ndl.go.jp/books/R100000002-I000000161654-00", label="合併前"),
            {("NDLBibID", "000000161654")},
        ),
        (Relation(type="replaces", uri="https://ci.nii.ac.jp/ncid/AN00012345"), {("NIIBibID", "AN00012345")}),
        (Relation(type="replaces", label="文芸雑誌"), set()),
        (Relation(type="replaces", uri="https://example.jp/1"), set()),
    ],
)
def test_a_relation_names_its_resource_by_number_or_address(relation, numbers):
    assert related_numbers(relation) == numbers


def test_an_issn_l_is_an_issn_of_the_record():
    record = read_marc(field("022", a="0385-4914", l="0488-7484")).record
    assert own_numbers(record) == {("ISSN", "03854914"), ("ISSN", "04887484")}
    assert is_serial(record)


def test_a_title_change_in_marc_has_the_issn_of_the_other_title():
    (relation,) = read_marc(field("785", t="新雑誌", x="0385-4914")).record.relations
    assert (relation.type, related_numbers(relation)) == ("isReplacedBy", {("ISSN", "03854914")})


def test_a_serial_is_known_by_its_type_or_issn():
    journal = (MaterialType(uri="http://ndl.go.jp/ndltype/Journal"),)
    assert is_serial(BibliographicRecord(material_types=journal))
    assert not is_serial(BibliographicRecord(identifiers=(Identifier(scheme="ISBN", value="9784003101018"),)))
