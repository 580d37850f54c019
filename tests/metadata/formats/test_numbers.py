"""Numbers in every format that is written: in their normal form, whatever form the provider sent."""

import pytest

from metadata.formats import CROSSWALKS, WRITERS
from metadata.reading import read
from metadata.record import BibliographicRecord, Host, Identifier, Item, MaterialType, Relation, Title

TEN, THIRTEEN = "4-10-101001-3", "9784101010014"
RECORD = BibliographicRecord(
    uri="https://books.example.jp/books/M1",
    titles=(Title(value="猫"),),
    display_title="猫",
    identifiers=(
        Identifier(scheme="ISBN", value=THIRTEEN, printed=TEN),
        Identifier(scheme="SetISBN", value="9784101010991", printed="４１０１０１０９９７"),
    ),
    host=Host(title="集", identifiers=(Identifier(scheme="ISBN", value=THIRTEEN, printed=TEN),)),
    relations=(Relation(type="isVersionOf", label="犬", scheme="ISBN", number=TEN),),
    items=(Item(holding_agent="館", identifiers=(Identifier(scheme="ISBN", value=THIRTEEN, printed=TEN),)),),
)


@pytest.mark.parametrize("name", WRITERS)
def test_an_isbn_with_ten_digits_goes_out_with_thirteen(name):
    written = WRITERS[name].write(RECORD).decode()
    assert not [form for form in (TEN, TEN.replace("-", ""), "４１０１０１０９９７") if form in written]
    assert THIRTEEN in written.replace("-", "")


@pytest.mark.parametrize("scheme", ["ISBN", "SetISBN"])
def test_dcndl_keeps_the_qualifier_of_an_isbn_in_a_description(scheme):
    qualified = Identifier(scheme=scheme, value=THIRTEEN, printed="4-10-101001-3 (大活字)")
    record = BibliographicRecord(uri=RECORD.uri, titles=RECORD.titles, display_title="猫", identifiers=(qualified,))
    written = CROSSWALKS["dcndl"].write(record)
    assert f'terms/{scheme}">978-4-10-101001-4<' in written.decode()
    assert read(written, "dcndl").record == record


def test_a_note_about_an_isbn_that_the_record_does_not_have_stays_a_note():
    record = BibliographicRecord(
        uri=RECORD.uri, titles=RECORD.titles, display_title="猫", notes=("ISBN : 4-10-101001-3 (旧版)",)
    )
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record == record


# Where a format says by itself that a number counts volumes or issues of a journal.
COUNTED = {
    **dict.fromkeys(
        ("jpcoar", "jpcoar_2.0", "jpcoar_1.0"), ("<jpcoar:volume>12</jpcoar:volume>", "<jpcoar:issue>3</jpcoar:issue>")
    ),
    "junii2": ("<volume>12</volume>", "<issue>3</issue>"),
    "oai_dc": ("猫誌, vol. 12, no. 3",),
    "ris": ("VL  - 12\r", "IS  - 3\r"),
    "bibtex": ("volume = {12}", "number = {3}"),
    "csl": ('"volume":"12"', '"issue":"3"'),
    "jsonld": ('"volumeNumber":"12"', '"issueNumber":"3"'),
}


@pytest.mark.parametrize("name", COUNTED)
def test_volumes_and_issues_go_out_without_their_words_where_the_format_has_them(name):
    article = BibliographicRecord(
        uri="https://books.example.jp/books/M1",
        titles=(Title(value="猫"),),
        material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Article"),),
        host=Host(title="猫誌", volume="第12巻", number="第3号"),
    )
    written = WRITERS[name].write(article).decode()
    assert not [text for text in COUNTED[name] if text not in written]


def test_a_volume_keeps_its_word_where_it_is_shown_as_it_is_printed():
    book = BibliographicRecord(uri=RECORD.uri, titles=RECORD.titles, volumes=(Title(value="第12巻"),))
    for name in ("dcndl", "dcndl_simple", "marcxml", "mods", "rss"):
        assert ">第12巻<" in WRITERS[name].write(book).decode(), name
