"""Accessible formats as records really state them, and texts that only speak of such formats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.accessible import FORMATS, accessible_formats, formats_of_copy
from metadata.reading import read_element
from metadata.record import BibliographicRecord, File, Identifier, Item, MaterialType, Subject, Title
from metadata.xml.parsing import parse
from tests.metadata.formats.marc.test_read import field, read_marc
from tests.metadata.formats.mods.test_read import read_mods
from tests.paths import SAMPLES

NDL = "http://ndl.go.jp/ndltype/"


def types(*names: str) -> tuple[MaterialType, ...]:
    return tuple(MaterialType(uri=f"{NDL}{name}") for name in names)


def forms(title: str = "こころ", **fields: object) -> tuple[str, ...]:
    return accessible_formats(BibliographicRecord(titles=(Title(value=title),), **fields))


@pytest.mark.parametrize(
    ("fields", "form"),
    [
        ({"material_types": types("Book", "Braille")}, "braille"),
        ({"material_types": (MaterialType(label="点字"),)}, "braille"),
        ({"notes": ("資料種別 : [点字資料]",)}, "braille"),
        ({"notes": ("資料形態 : 点字資料 点字冊子、原本の表示は別にあり",)}, "braille"),
        ({"title": "国会案内 点字版"}, "braille"),
        ({"extents": ("3 v. of braille ; 30 cm",)}, "braille"),
        ({"title": "［シネマ・デイジー］劇場版"}, "daisy"),
        ({"extents": ("音声デイジー1枚 (5時間10分)",)}, "daisy"),
        ({"notes": ("録音形態：ＤＡＩＳＹ",)}, "daisy"),
        ({"title": "こころ (マルチメディアDAISY)"}, "daisy"),
        ({"editions": ("大活字版",)}, "large_print"),
        ({"series": (Title(value="大活字本シリーズ"),)}, "large_print"),
        ({"genres": (Subject(value="Large type books"),)}, "large_print"),
        (
            {"identifiers": (Identifier(scheme="ISBN", value="9784003101018", printed="4003101014 (large print)"),)},
            "large_print",
        ),
        ({"series": (Title(value="LLブック"),)}, "easy_to_read"),
        ({"material_types": (MaterialType(label="電子書籍・電子雑誌"),)}, "ebook"),
        ({"material_types": types("Book"), "extents": ("1 online resource (297 p.)",)}, "ebook"),
        ({"material_types": types("Book", "ElectronicResource")}, "ebook"),
        ({"files": (File(media_type="application/epub+zip"),)}, "ebook"),
        ({"formats": ("ebooks",)}, "ebook"),
        ({"editions": ("Kindle版",)}, "ebook"),
    ],
)
def test_a_format_is_found_where_records_state_it(fields, form):
    assert forms(**fields) == (form,)


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "図書館と電子書籍 : ハイブリッド図書館へ"},
        {"title": "出版の未来 : 電子書籍"},
        {"title": "点字入門"},
        {"subjects": (Subject(value="電子書籍"), Subject(value="点字"))},
        {"contents": ("電子書籍元年とは何だったのか",)},
        {"notes": ("電子書籍版もあり",)},
        {"notes": ("Also available in braille",)},
        {"notes": ("巻末に点字図書館の一覧と、各館で利用できるデイジー図書の目録を付す",)},
        {"extents": ("250p ; 19cm + 電子書籍1件",)},
        {"material_types": types("ElectronicResource"), "extents": ("電子資料 1件",)},
        {"material_types": types("Article"), "extents": ("1 online resource",)},
        {"series": (Title(value="点字の歴史叢書"),)},
        {"material_types": types("MaterialsForVisuallyHandicappedPeople")},
    ],
)
def test_texts_about_such_formats_say_nothing_about_the_resource(fields):
    assert forms(**fields) == ()


def test_several_formats_come_in_one_order():
    assert forms(editions=("電子書籍版", "点字版")) == ("braille", "ebook")


def test_a_copy_states_its_own_format():
    assert formats_of_copy(Item(notes=("大活字本", "破損あり"))) == ("large_print",)
    assert forms(items=(Item(), Item(notes=("点字資料",)))) == ("braille",)


def test_large_print_and_braille_are_read_from_the_codes_of_marc():
    leader = "00000nam a2200000 a 4500"
    large = '<controlfield tag="008">' + " " * 23 + "d" + " " * 16 + "</controlfield>"
    assert accessible_formats(read_marc(large, leader=leader).record) == ("large_print",)
    assert accessible_formats(read_marc('<controlfield tag="007">tb</controlfield>').record) == ("large_print",)
    assert accessible_formats(read_marc('<controlfield tag="007">tc</controlfield>').record) == ("braille",)
    assert accessible_formats(read_marc(field("250", a="Large print ed.")).record) == ("large_print",)


def test_the_form_of_a_mods_record_is_read():
    form = '<physicalDescription><form authority="marcform">{}</form></physicalDescription>'
    assert accessible_formats(read_mods(form.format("large print")).record) == ("large_print",)
    assert read_mods(form.format("print")).record.formats == ()


def test_a_real_braille_record_of_ndl():
    path = SAMPLES / "dcndl_rdf/records/2025_R100000002-I000002368034.rdf.xml"
    if not path.exists():
        pytest.skip("samples are absent")
    assert accessible_formats(read_element(parse(path.read_bytes()), "dcndl").record) == ("braille",)


TEXTS = st.lists(st.text(max_size=40), max_size=3).map(tuple)


@given(st.text(max_size=40), TEXTS, TEXTS, TEXTS)
def test_any_record_has_known_formats_only(title, notes, extents, editions):
    assert set(forms(title, notes=notes, extents=extents, editions=editions)) <= FORMATS.keys()
