"""Numbers in every format that is written: in their normal form, whatever form the provider sent."""

import pytest

from metadata.formats import CROSSWALKS, WRITERS
from metadata.reading import read
from metadata.record import BibliographicRecord, Host, Identifier, Item, Relation, Title

TEN, THIRTEEN = "4-10-101001-3", "9784101010014"
RECORD = BibliographicRecord(
    uri="https://books.example.jp/books/M1",
    titles=(Title(value="猫"),),
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
    record = BibliographicRecord(uri=RECORD.uri, titles=RECORD.titles, identifiers=(qualified,))
    written = CROSSWALKS["dcndl"].write(record)
    assert f'terms/{scheme}">978-4-10-101001-4<' in written.decode()
    assert read(written, "dcndl").record == record


def test_a_note_about_an_isbn_that_the_record_does_not_have_stays_a_note():
    record = BibliographicRecord(uri=RECORD.uri, titles=RECORD.titles, notes=("ISBN : 4-10-101001-3 (旧版)",))
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record == record
