"""Changes that resolve an issue: found by trying, and shown only where nothing else becomes wrong."""

import pytest

from harvesting.issues.mending import changes
from metadata.policy import DEFAULT
from metadata.reading import read
from tests.metadata.documents import dcndl, identifier

ISSUED = '<dcterms:issued rdf:datatype="http://purl.org/dc/terms/W3CDTF">19980409</dcterms:issued>'
CLASS = '<dc:subject rdf:datatype="http://ndl.go.jp/dcndl/terms/NDC9">{}</dc:subject>'


def written(payload: bytes) -> dict[str, tuple[str, str]]:
    """Code -> the element before and after the change."""
    found = changes(payload, "dcndl", DEFAULT, read(payload, "dcndl").issues)
    texts = {}
    for issue, change in found.items():
        before, after = (
            "".join(piece.text for line in shown.lines for piece in line.pieces)
            for shown in (change.before, change.after)
        )
        texts[issue.code] = before, after
    return texts


@pytest.mark.parametrize(
    ("element", "code", "value", "wanted"),
    [
        (identifier("ISBN", "4-408-45681-2"), "dcndl.N013", "4-408-45681-2", "9784408456812"),
        (ISSUED, "dcndl.N018", "19980409", "1998-04-09"),
    ],
)
def test_the_value_that_was_registered_is_the_change(element, code, value, wanted):
    assert written(dcndl(element))[code] == (element, element.replace(value, wanted))


def test_unusual_characters_are_replaced_by_usual_ones():
    change = written(dcndl(CLASS.format("９１１．１６８")))["dcndl.W023"]
    assert change[1] == CLASS.format("911.168")


def test_an_issue_without_a_value_that_would_be_right_has_no_change():
    payload = dcndl(identifier("ISBN", "978-4-00-310101-0"))
    assert "dcndl.E013" in {issue.code for issue in read(payload, "dcndl").issues}
    assert "dcndl.E013" not in written(payload)


def test_a_payload_that_cannot_be_read_has_no_change():
    assert written(b"<a>\xff</a>") == {}
    assert written(b"") == {}
