"""Whatever characters a value has, they stay a value: for every field of a record, in every format that is XML.

One field at a time has hostile text, since that text also decides which element is written; then all fields together.
"""

from collections.abc import Callable, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metadata.formats import WRITERS
from metadata.record import BibliographicRecord
from metadata.xml.parsing import XmlError, parse
from tests.metadata.full_records import FULL_RECORD

# Ends a text, an attribute in either quotation marks, a comment, CDATA and the document, and begins an element; with
# everything that XML has an entity for, forbids, or changes when it is read.
HOSTILE = (
    """x</a>' injected="1" injected='1'><injected/>]]>--><!-- &amp; &#60; & \x00\x0b\x1f\x7f\x85\ufffe\uffff\r\n\t"""
)
LINK = f"http://example.jp/{HOSTILE}"
DEEPEST = 6  # bodies have affiliations, which are bodies
XML = [name for name, writer in WRITERS.items() if writer.media_type.endswith("xml")]


def variants(value: Any, hostile: str) -> Iterator[Any]:
    """Yield the value once for each text in it, with the hostile text in place of that one."""
    if isinstance(value, str):
        yield hostile
    elif isinstance(value, tuple):
        for position, part in enumerate(value):
            for changed in variants(part, hostile):
                yield (*value[:position], changed, *value[position + 1 :])
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            for changed in variants(getattr(value, name), hostile):
                yield msgspec.structs.replace(value, **{name: changed})


def filled(kind: Any, text: str, depth: int = 0) -> Any:
    """Return a value of a type in which every text is this one, and every list has one value."""
    if kind is str:
        return text
    if get_origin(kind) is tuple:
        return (filled(get_args(kind)[0], text, depth + 1),) if depth < DEEPEST else ()
    return kind(**{name: filled(part, text, depth + 1) for name, part in get_type_hints(kind).items()})


def assert_nothing_injected(write: Callable[[BibliographicRecord], bytes], record: BibliographicRecord) -> None:
    root = parse(write(record))

    assert [element.tag for element in root.iter() if "injected" in element.tag] == []
    assert [name for element in root.iter() for name in element.attrib if "injected" in name] == []


@pytest.mark.parametrize("name", XML)
@pytest.mark.parametrize("hostile", [HOSTILE, LINK], ids=["text", "link"])
def test_no_text_becomes_markup(name: str, hostile: str):
    for record in variants(filled(BibliographicRecord, "x"), hostile):
        assert_nothing_injected(WRITERS[name].write, record)
    assert_nothing_injected(WRITERS[name].write, filled(BibliographicRecord, hostile))


@pytest.mark.parametrize("name", XML)
@settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck))
@given(record=FULL_RECORD, hostile=st.sampled_from([HOSTILE, LINK]))
def test_no_text_beside_usual_values_becomes_markup(name: str, record: BibliographicRecord, hostile: str):
    for changed in variants(record, hostile):
        assert_nothing_injected(WRITERS[name].write, changed)


def test_every_field_is_tried():
    full = filled(BibliographicRecord, "x")
    tried = list(variants(full, HOSTILE))

    names = BibliographicRecord.__struct_fields__
    assert {name for name in names if any(getattr(one, name) != getattr(full, name) for one in tried)} == set(names)


def test_hostile_text_is_noticed_where_it_is_not_escaped():
    with pytest.raises((AssertionError, XmlError)):
        assert_nothing_injected(lambda _record: b"<r><a>x</a><injected/></r>", BibliographicRecord())
