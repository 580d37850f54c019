"""Marking the place of an issue in a payload."""

import time

import pytest

from metadata.issue import Issue
from metadata.xml.spans import pieces, spans

RECORD = """<dcndl:BibResource>
  <dcterms:title>こころ</dcterms:title>
  <dcterms:identifier rdf:datatype="x">978-4-10</dcterms:identifier>
  <dcterms:identifier>A &amp; B</dcterms:identifier>
  <dcndl:Item/>
</dcndl:BibResource>"""


def marked(text: str, **issue: str) -> list[str]:
    found = pieces(text, Issue(code="x.E001", **issue))
    assert "".join(piece.text for piece in found) == text
    return [piece.text for piece in found if piece.marked]


def test_the_element_with_the_value_is_marked():
    assert marked(RECORD, field="dcterms:identifier[ISBN]", value="978-4-10") == [
        '<dcterms:identifier rdf:datatype="x">978-4-10</dcterms:identifier>'
    ]
    assert marked(RECORD, field="dcterms:identifier", value="A & B") == [
        "<dcterms:identifier>A &amp; B</dcterms:identifier>"
    ]


def test_the_element_with_a_character_that_an_issue_names_is_marked():
    assert marked(RECORD, field="dcterms:title", value="U+3053 (こころ)") == ["<dcterms:title>こころ</dcterms:title>"]


def test_without_a_value_all_elements_with_the_name_are_marked():
    assert len(marked(RECORD, field="dcterms:identifier")) == 2
    assert marked(RECORD, field="dcndl:Item/@rdf:about") == ["<dcndl:Item/>"]


def test_a_condition_inside_a_path_is_not_the_end_of_the_path():
    field = 'dcndl:BibResource[@type="original"]/dcterms:identifier'
    assert len(marked(RECORD, field=field)) == 2


def test_a_value_is_marked_without_its_element():
    assert marked(RECORD, field="somewhere", value="こころ") == ["こころ"]


def test_nothing_is_marked_for_an_absent_element():
    assert marked(RECORD, field="dcterms:issued") == []
    assert marked("", field="dc:title") == []


def test_a_syntax_error_marks_its_line():
    assert marked("<a>\n<b>\n</a>", field="3:1") == ["</a>"]
    assert len(marked("x" * 1000, field="1:500")[0]) == 160
    assert marked("<a>", field="999999:1") == ["<a>"]


def test_marc_fields_are_found_by_their_tag():
    text = '<record><datafield tag="020" ind1=" "><subfield code="a">1</subfield></datafield></record>'
    assert marked(text, field="020$a", value="1") == [text[len("<record>") : -len("</record>")]]


@pytest.mark.parametrize("text", ["<dc:title>" * 6000, "<dc:title " * 6000, "<dc:title>x</dc:title>" * 3000])
def test_a_hostile_text_takes_little_time(text):
    begin = time.process_time()
    assert len(spans(text, Issue(code="x", field="dc:title", value="y"))) <= 20
    assert time.process_time() - begin < 1
