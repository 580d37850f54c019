"""Excerpts of payloads: places of issues are marked, long texts cut, and misleading characters written out."""

from harvesting.issues import excerpts
from metadata.issue import Issue

RECORD = "<r><dc:title>山</dc:title><dcterms:issued>199X</dcterms:issued></r>"
WRONG_DATE = Issue(code="x.E001", field="dcterms:issued", value="199X")


def written(shown: excerpts.Excerpt) -> str:
    return "\n".join(line.indent + "".join(piece.text for piece in line.pieces) for line in shown.lines)


def marked(shown: excerpts.Excerpt) -> str:
    return "".join(piece.text for line in shown.lines for piece in line.pieces if piece.mark)


def test_the_place_of_an_issue_is_marked_and_nothing_is_lost():
    shown = excerpts.excerpt(RECORD.encode(), [WRONG_DATE])
    assert marked(shown) == "<dcterms:issued>199X</dcterms:issued>"
    assert written(shown) == "<r>\n  <dc:title>山</dc:title>\n  <dcterms:issued>199X</dcterms:issued>\n</r>"
    assert shown.left_out == 0


def test_lines_are_numbered_and_each_mark_has_one_place_to_jump_to():
    text = RECORD.replace("</r>", "<dcterms:issued>199X</dcterms:issued></r>")
    shown = excerpts.excerpt(text.encode(), [WRONG_DATE])
    targets = [(line.number, piece.mark) for line in shown.lines for piece in line.pieces if piece.is_first]
    assert targets == [(3, 1), (4, 2)]
    assert list(shown.marks) == [1, 2]


def test_a_mark_over_several_lines_is_one_place():
    text = "<r><item><a>1</a><b>bad</b></item></r>"
    shown = excerpts.excerpt(text.encode(), [Issue(code="x.E001", field="item", value="bad")])
    assert [piece.text for line in shown.lines for piece in line.pieces if piece.is_first] == ["<item"]
    assert marked(shown) == "<item><a>1</a><b>bad</b></item>"


def test_a_long_payload_is_cut_to_its_beginning_and_the_marks():
    filler = "<a>あ</a>" * 40_000
    text = f"<r>{filler}<b>bad</b>{filler}</r>"
    shown = excerpts.excerpt(text.encode(), [Issue(code="x.E001", field="b", value="bad")])
    assert marked(shown) == "<b>bad</b>"
    assert sum(line.is_cut for line in shown.lines) == 1
    kept = sum(len(piece.text) for line in shown.lines for piece in line.pieces)
    assert kept < excerpts.SHOWN_WHOLE
    assert kept + shown.left_out == len(text)
    assert next(line.number for line in shown.lines if any(piece.mark for piece in line.pieces)) == 40_002


def test_an_enormous_payload_takes_a_bounded_time():
    shown = excerpts.excerpt(b"<" * (3 * excerpts.LARGEST), [Issue(code="x.E001", field="b", value="bad")])
    assert sum(len(piece.text) for line in shown.lines for piece in line.pieces) == excerpts.AROUND


def test_misleading_characters_are_written_out():
    shown = excerpts.excerpt("a\u202eb\x00c\u2066d\te\n".encode())
    assert written(shown) == "a⟦U+202E⟧b⟦U+0000⟧c⟦U+2066⟧d\te"


def test_bytes_that_are_no_utf8_are_shown_as_such():
    assert written(excerpts.excerpt(b"<r>\xff\xfe</r>")) == "<r>\ufffd\ufffd</r>"
