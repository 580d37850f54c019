"""Lists of libraries are read by their headings, in Japanese or English, and written so that they can be read again."""

from datetime import date

import pytest
from django.utils import translation

from aggregator.libraries.identify import Code
from aggregator.libraries.lists import UnreadableList, decode, read, write

OF_ISIL = (
    "ISIL\t機関名(英語)\t機関名\t機関名(カナ)\t郵便番号\t所在地\t電話番号\tFAX番号\tURL\t登録日\n"
    "JP-1999901\tMihon City Library\t見本市立図書館\tミホンシリツトショカン\t999-0001\t大阪府見本市本町1\t"
    "06-0000-0001\t\thttps://library.example.jp/\t2020-04-01\n"
)
OF_CINII = (
    "参加組織ID,参加組織名,参加組織名ヨミ,地域,館種\n"
    "FA999991,見本大学 附属図書館,ミホン ダイガク フゾク トショカン,京都,国立大学\n"
)
OWN = (
    "name,ndl_lib_code,codes,kind,municipality,lends,closed_on,latitude,parent\n"
    "見本分館,9901,x-local=17; provider=R900000001,市立,大阪市,○,2026/3/31,34.7,9900\n"
)


@pytest.fixture(autouse=True)
def english():
    """The messages are compared in English."""
    with translation.override("en"):
        yield


def only(text: str):
    [row] = read(text).rows
    assert row.errors == ()
    return row


def test_the_list_of_isil_is_read():
    row = only(OF_ISIL)
    assert (row.line, row.codes) == (2, (Code("ISIL", "JP-1999901"),))
    assert row.values == {
        "name": "見本市立図書館",
        "reading": "ミホンシリツトショカン",
        "name_en": "Mihon City Library",
        "prefecture": "27",
        "address": "〒999-0001 大阪府見本市本町1",
        "telephone": "06-0000-0001",
        "page": "https://library.example.jp/",
    }
    assert read(OF_ISIL).passed_over == ("FAX番号", "登録日")


def test_the_list_of_participants_of_cinii_is_read():
    row = only(OF_CINII)
    assert row.codes == (Code("FA", "FA999991"),)
    assert (row.values["kind"], row.values["prefecture"]) == ("university", "26")


def test_our_own_columns_are_read():
    row = only(OWN)
    assert row.codes == (Code("NDLLibCode", "9901"), Code("x-local", "17"), Code("provider", "R900000001"))
    assert row.parent == Code("NDLLibCode", "9900")
    assert row.values == {
        "name": "見本分館",
        "kind": "municipal",
        "prefecture": "27",
        "municipality": "27100",
        "lends": True,
        "closed_on": date(2026, 3, 31),
        "latitude": 34.7,
    }


def test_a_list_that_is_written_is_read_again():
    row = {
        "isil": "JP-1999901",
        "name": "'見本' \"館\"",
        "telephone": "+81-6-0000",
        "longitude": -135.5,
        "remarks": "一\n二",
    }
    values = only(write([row]).decode()).values
    assert values == {name: value for name, value in row.items() if name != "isil"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932"])
def test_a_list_is_read_in_the_encodings_of_spreadsheets(encoding):
    assert decode(OF_ISIL.encode(encoding)) == OF_ISIL


def test_a_file_that_is_no_text_is_refused():
    with pytest.raises(UnreadableList):
        decode(b"\x81\x00\xff\xff")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (",名前だけ,,,", "no code"),
        ("JP-1999901,館,都電,,", "not a kind"),
        ("JP-1999901,館,,48,", "not a prefecture"),
        ("JP-1999901,館,,,x", "not a code"),
        ("JP-1999901,館,,,,,", "more cells"),
    ],
)
def test_what_is_wrong_with_a_row_is_told_with_its_line(cells, told):
    [good, bad] = read(f'isil,name,kind,pref,codes\nJP-1000001,"二行の\n館",,,\n{cells}\n').rows
    assert (good.line, good.errors) == (2, ())
    assert bad.line == 4
    assert told in bad.errors[0]


@pytest.mark.parametrize(
    "text", ["", "isil,name\n", "name\n館\n", "isil,ISIL,name\nJP-1,JP-2,館\n", 'isil,name\nJP-1,"館\n']
)
def test_a_file_that_is_no_list_is_refused(text):
    with pytest.raises(UnreadableList):
        read(text)


def test_a_list_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("aggregator.libraries.lists.MOST_ROWS", 2)
    with pytest.raises(UnreadableList, match="2 rows"):
        read("isil,name\n" + "JP-1000001,館\n" * 3)
