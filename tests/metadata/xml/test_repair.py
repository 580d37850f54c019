"""Repair of characters that make XML unreadable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.xml.parsing import XmlError, parse
from metadata.xml.repair import JOINED, REMOVED, REPLACED, decode, mend


@pytest.mark.parametrize(
    ("received", "mended", "codes"),
    [
        ("a\x00b\x0bc", "abc", [REMOVED, REMOVED]),
        ("a&#11;b&#xFFFF;", "ab", [REMOVED, REMOVED]),
        ("&#xD842;&#57271;", "𠮷", [JOINED]),
        ("&#xDFB7;&#xD842;", "", [REMOVED, REMOVED]),
        ("a\udc82\udca0b", "a\ufffd\ufffdb", [REPLACED]),
        ("&#x3042;&amp;𠮷\t\r\n", "&#x3042;&amp;𠮷\t\r\n", []),
        ("&#99999999999;", "", [REMOVED]),
    ],
)
def test_damage_is_mended_and_reported_by_kind(received, mended, codes):
    found = mend(received)
    assert (found.data.decode(), [repair.code for repair in found.repairs]) == (mended, codes)


def test_positions_refer_to_the_result():
    found = mend("本\x01本\x02")
    assert [repair.position for repair in found.repairs] == [3, 6]


def test_too_much_damage_is_not_mended():
    assert mend("\x01" * 50_000) is None


@pytest.mark.parametrize(
    ("data", "options", "text", "encoding"),
    [
        ("<a>本</a>".encode(), {}, "<a>本</a>", "utf-8"),
        ("<a>本</a>".encode("utf-16"), {}, "<a>本</a>", "utf-16"),
        ("<a>髙</a>".encode("cp932"), {"override": "Shift_JIS"}, "<a>髙</a>", "Shift_JIS"),
        ("<a>髙</a>".encode("cp932"), {"charset": "Windows-31J"}, "<a>髙</a>", "Windows-31J"),
        ("<a>本\x85</a>".encode("latin-1", "ignore"), {"charset": "utf-8"}, "<a>\udc85</a>", "utf-8"),
        ("<a>本</a>".encode() + b"\xff", {"charset": "ISO-8859-1"}, "<a>本</a>\udcff", "utf-8"),
        (b"<?xml version='1.0' encoding='x-none'?><a/>", {}, "<?xml version='1.0' encoding='x-none'?><a/>", "x-none"),
    ],
)
def test_the_encoding_is_found(data, options, text, encoding):
    assert decode(data, **options)[:2] == (text, encoding)


def test_a_document_in_a_wrong_encoding_is_doubtful():
    assert decode("<a>図書館</a>".encode("shift_jis")).doubtful
    assert not decode("<a>図書館</a>".encode() + b"\xff").doubtful


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("&#;xdD8\x00\ud800\udc80")), max_size=60))
def test_a_mended_text_is_legal_and_not_changed_again(text):
    found = mend(text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"))
    again = mend(found.data.decode())
    assert again == (found.data, ())


@given(st.binary(max_size=200), st.sampled_from(["", "Shift_JIS", "utf-16", "no such"]))
def test_no_bytes_raise(data, name):
    mended = mend(decode(data, override=name).text)
    if mended is not None:
        assert "\x00" not in mended.data.decode()


@given(st.text(max_size=40))
def test_well_formed_documents_are_left_alone(text):
    document = "<a>" + text.replace("&", "&amp;").replace("<", "&lt;") + "</a>"
    try:
        parse(document.encode())
    except (XmlError, UnicodeEncodeError):
        return
    assert mend(document) == (document.encode(), ())


def test_a_document_in_iso_2022_jp_is_doubtful_unless_it_says_so():
    data = "<a>図書館</a>".encode("iso-2022-jp")
    assert decode(data).doubtful
    assert decode(data, override="ISO-2022-JP") == ("<a>図書館</a>", "ISO-2022-JP", False)
    assert not decode(b"<a>\x1b[0m</a>").doubtful


def test_one_title_in_iso_2022_jp_among_others_loses_its_text_but_no_more():
    data = "<a>図書館</a><a>".encode() + "雑誌<".encode("iso-2022-jp") + b"</a>"
    found = decode(data)
    assert not found.doubtful
    mended = mend(found.text)
    assert (mended.data.decode(), [repair.code for repair in mended.repairs]) == (
        "<a>図書館</a><a>\ufffd<</a>",
        ["xml.W002"],
    )
