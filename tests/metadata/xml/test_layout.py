"""The layout of payloads: indented lines, kinds of parts; nothing is lost, and broken texts keep their lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.xml import layout


def laid_out(text: str) -> list[str]:
    return ["  " * line.depth + text[line.start : line.end] for line in layout.lines(text)]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(text[part.start : part.end], part.kind) for part in layout.parts(text, 0, len(text)) if part.kind]


def test_elements_are_indented_and_those_with_text_stay_on_one_line():
    text = '<?xml version="1.0"?><r><a x="1">山 </a>\n\n<b/><c><d></d></c></r>'
    assert laid_out(text) == [
        '<?xml version="1.0"?>',
        "<r>",
        '  <a x="1">山 </a>',
        "  <b/>",
        "  <c>",
        "    <d></d>",
        "  </c>",
        "</r>",
    ]


def test_comments_and_cdata_may_contain_tags():
    assert laid_out("<r><!-- <a> --><b><![CDATA[<c>]]></b></r>") == [
        "<r>",
        "  <!-- <a> -->",
        "  <b><![CDATA[<c>]]></b>",
        "</r>",
    ]


@pytest.mark.parametrize("text", ["<r>\n<a>\n</r></x>", "<r>\n<a", "no xml\nat all", '{\n"a": 1}', "</r>\n<r>"])
def test_a_text_that_is_not_balanced_keeps_its_own_lines(text):
    assert laid_out(text) == text.splitlines()


def test_the_parts_of_a_tag_have_kinds():
    assert kinds('<dc:title xml:lang="ja">山</dc:title>') == [
        ("<dc:title", "name"),
        ("xml:lang", "attribute"),
        ('"ja"', "string"),
        ("</dc:title", "name"),
    ]


@given(st.text(st.sampled_from("<>/!-[]=\"' \nab漢CDATA"), max_size=200))
def test_nothing_but_blank_text_is_lost(text):
    lines = layout.lines(text)
    shown = "".join(text[line.start : line.end] for line in lines)
    assert "".join(shown.split()) == "".join(text.split())
    for line in lines:
        pieces = [text[part.start : part.end] for part in layout.parts(text, line.start, line.end)]
        assert "".join(pieces) == text[line.start : line.end]
