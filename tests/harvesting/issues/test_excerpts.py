"""Excerpts of payloads: places of issues are marked, long texts cut, and misleading characters written out."""

from harvesting.issues import excerpts
from metadata.issue import Issue

RECORD = "<r><dc:title>山</dc:title><dcterms:issued>199X</dcterms:issued></r>"


def texts(shown: excerpts.Excerpt, kind: str) -> list[str]:
    return [piece.text for piece in shown.pieces if piece.kind == kind]


def test_the_place_of_an_issue_is_marked_and_nothing_is_lost():
    shown = excerpts.excerpt(RECORD.encode(), [Issue(code="x.E001", field="dcterms:issued", value="199X")])
    assert texts(shown, "mark") == ["<dcterms:issued>199X</dcterms:issued>"]
    assert "".join(piece.text for piece in shown.pieces) == RECORD
    assert shown.left_out == 0


def test_a_long_payload_is_cut_to_its_beginning_and_the_marks():
    filler = "<a>あ</a>" * 40_000
    text = f"<r>{filler}<b>bad</b>{filler}</r>"
    shown = excerpts.excerpt(text.encode(), [Issue(code="x.E001", field="b", value="bad")])
    assert texts(shown, "mark") == ["<b>bad</b>"]
    assert len(texts(shown, "cut")) == 1
    kept = sum(len(piece.text) for piece in shown.pieces)
    assert kept < excerpts.SHOWN_WHOLE
    assert kept + shown.left_out == len(text)


def test_an_enormous_payload_takes_a_bounded_time():
    shown = excerpts.excerpt(b"<" * (3 * excerpts.LARGEST), [Issue(code="x.E001", field="b", value="bad")])
    assert sum(len(piece.text) for piece in shown.pieces) == excerpts.AROUND


def test_misleading_characters_are_written_out():
    shown = excerpts.excerpt("a\u202eb\x00c\u2066d\te\n".encode())
    assert texts(shown, "") == ["a⟦U+202E⟧b⟦U+0000⟧c⟦U+2066⟧d\te\n"]


def test_bytes_that_are_no_utf8_are_shown_as_such():
    assert texts(excerpts.excerpt(b"<r>\xff\xfe</r>"), "") == ["<r>\ufffd\ufffd</r>"]
