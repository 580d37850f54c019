"""Pages that are read without their known records say the same as pages that are read as a whole."""

import hashlib
import random
from collections.abc import Mapping

import pytest

from harvesting.transports.oai_pmh import recognition
from harvesting.transports.oai_pmh.envelope import read_envelope, read_error
from harvesting.transports.oai_pmh.responses import Page, read_page
from harvesting.types import HarvestedRecord, TransportError, recognise_nothing
from tests.harvesting.transports.oai_responses import DC, METADATA, OAI, envelope, record, token
from tests.seeds import seeds

MARC = (
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader>'
    '<datafield tag="245" ind1="1" ind2="0"><subfield code="a">本</subfield></datafield></record>'
)


class Memory:
    """What has been read so far: digest -> record, as a database would keep it."""

    def __init__(self) -> None:
        self._read: dict[bytes, HarvestedRecord] = {}

    def keep(self, page: Page) -> None:
        self._read.update({record.received: record for record in page.records if record.received})

    def recognise(self, digests: Mapping[str, bytes]) -> dict[str, HarvestedRecord]:
        known = {identifier: self._read[digest] for identifier, digest in digests.items() if digest in self._read}
        assert all(record.identifier == identifier for identifier, record in known.items())
        return {
            identifier: HarvestedRecord(
                identifier=identifier, datestamp=record.datestamp, set_specs=record.set_specs, stored_as=1
            )
            for identifier, record in known.items()
        }

    def stored(self, body: bytes, requested_set: str = "") -> Page | None:
        """The page as a harvest reads it; None if it must be read as a whole."""
        page = recognition.recognise(body, "ListRecords", requested_set, self.recognise)
        if page is None or read_error(page.root) is not None:
            return None
        try:
            read = read_page(page.root, "ListRecords", requested_set, page)
        except TransportError:
            return None
        return read if not page.runs or recognition.agrees(page, read.records) else None


def whole(body: bytes, requested_set: str = "") -> Page | None:
    """The page, read as a whole; None if it cannot be read."""
    try:
        root = read_envelope(body)
        return None if read_error(root) is not None else read_page(root, "ListRecords", requested_set)
    except TransportError:
        return None


def assert_same(page: Page, expected: Page, memory: Memory) -> None:
    assert [(one.identifier, one.datestamp, one.set_specs) for one in page.records] == [
        (one.identifier, one.datestamp, one.set_specs) for one in expected.records
    ]
    for one, other in zip(page.records, expected.records, strict=True):
        if not one.stored_as:
            assert one == other
        else:
            former = next(read for read in memory._read.values() if read == other)
            assert (former.payload, former.about, other.deleted) == (other.payload, other.about, False)
    ends = ("resumption_token", "is_explicit_end", "complete_list_size", "cursor", "response_date", "observations")
    assert [getattr(page, name) for name in ends] == [getattr(expected, name) for name in ends]


def listed(*records: str, attributes: str = f'xmlns="{OAI}"', between: str = "\n", end: str = "") -> bytes:
    return envelope(f"<ListRecords>\n{between.join(records)}{end}\n</ListRecords>", attributes=attributes)


def remembered(body: bytes, requested_set: str = "") -> Memory:
    memory = Memory()
    page = memory.stored(body, requested_set)
    assert page is not None
    memory.keep(page)
    return memory


def unread(page: Page | None) -> list[bool]:
    assert page is not None
    return [record.stored_as > 0 for record in page.records]


def test_known_records_are_left_out_wherever_they_stand_and_the_rest_is_read():
    memory = remembered(listed(*map(record, range(1, 5)), end=token("a", 9)))
    body = listed(record(9), record(3), record(1), record(8), record(2), end=token("b", 9))
    page, expected = memory.stored(body), whole(body)
    assert unread(page) == [False, True, True, False, True]
    assert page and expected
    assert_same(page, expected, memory)


def test_a_page_of_known_records_is_only_its_frame():
    body = listed(*map(record, range(1, 50)), end=token("a", 100))
    memory = remembered(body)
    page = recognition.recognise(body, "ListRecords", "", memory.recognise)
    assert page
    assert (len(list(page.root.iter())), len(page.runs), page.identifiers) == (6, 1, [])
    assert all(unread(memory.stored(body)))


def test_a_record_that_differs_in_one_byte_is_read():
    memory = remembered(listed(record(1), record(2)))
    assert unread(memory.stored(listed(record(1), record(2, METADATA.replace("本", "木"))))) == [True, False]


def test_a_record_in_a_known_record_of_the_same_name_does_no_harm():
    body = listed(record(1, MARC), record(2, MARC))
    memory = remembered(body)
    assert unread(memory.stored(body)) == [True, True]


def test_a_record_that_comes_twice_on_a_page_is_read_each_time():
    memory = remembered(listed(record(1), record(2)))
    assert unread(memory.stored(listed(record(1), record(2), record(1)))) == [False, True, False]


@pytest.mark.parametrize(
    "attributes",
    [
        f'xmlns="{OAI}" xmlns:dc="http://example.org/"',
        f'xmlns:x="urn:x" xmlns="{OAI}"',
        'xmlns="http://example.org/"',
        "",
    ],
)
def test_other_namespaces_around_a_record_give_it_another_meaning(attributes):
    memory = remembered(listed(record(1)))
    assert unread(memory.stored(listed(record(1), attributes=attributes))) == [False]


def test_another_requested_set_or_reading_gives_a_record_another_digest(monkeypatch):
    memory = remembered(listed(record(1)))
    assert unread(memory.stored(listed(record(1)), "books")) == [False]
    monkeypatch.setattr(recognition, "VERSION", recognition.VERSION + 1)
    assert unread(memory.stored(listed(record(1)))) == [False]


@pytest.mark.parametrize(
    "body",
    [
        listed(),
        listed("<record>\n<header>"),
        listed(record(1)).replace(b"<record>", b"<record >"),
        listed(record(1)).replace(b"<record>", b"<oai:record>").replace(b"</record>", b"</oai:record>"),
        listed(record(1), "<!-- <record> -->", record(2)),
        listed(record(1), f"<!-- {record(2)} -->"),
        listed(record(1), f"<![CDATA[{record(2)}]]>"),
        listed(record(1), "text", record(2)),
        listed(record(1), header := "<header><identifier>a</identifier></header>", record(2)),
        listed(record(1).replace("<datestamp>", "<timestamp>").replace("</datestamp>", "</timestamp>")),
        listed(record(1)).replace(b"UTF-8", b"ISO-8859-1", 1),
        listed(record(1)).replace(b"<OAI-PMH", b"<!DOCTYPE OAI-PMH><OAI-PMH", 1),
        listed(record(1)).replace(b"ListRecords>", b"ListIdentifiers>"),
        listed(record(1)).replace(b"</ListRecords>", b"</ListRecords><ListRecords></ListRecords>"),
        b"<!-- <ListRecords>" + listed(record(1)) + b"</ListRecords> -->",
    ],
)
def test_a_page_of_unusual_form_is_read_as_a_whole_and_its_records_are_not_remembered(body):
    memory = Memory()
    page = memory.stored(body)
    assert page is None or not any(record.received for record in page.records)


def test_a_page_cannot_pretend_to_have_a_mark():
    """It would stand for a record that is in a comment."""
    memory = remembered(listed(record(1)))
    earlier = recognition.recognise(listed(record(1)), "ListRecords", "", memory.recognise)
    assert earlier and earlier.mark
    body = listed(f'<record {earlier.mark}=""/><!--{record(1)}-->')
    assert memory.stored(body) is None


FRAGMENTS = (
    "<!--", "-->", "<![CDATA[", "]]>", "<?x ", "?>", "<record>", "</record>", "</ListRecords>", "<ListRecords>",
    "</ListRecords><ListRecords>", f'<ListRecords xmlns="{OAI}">', '<a xmlns="urn:x">', "</a>", "<header>", "</header>",
    "<metadata>", "</metadata>", "<error code='x'/>", "&amp;", "&x;", "\0", "<", ">", " ", "\n", f'xmlns:dc="{DC}"',
    "<record><header><identifier>oai:provider.example:1</identifier><datestamp>2026-01-01</datestamp></header>",
)  # fmt: skip


@seeds(40, always=6)
def test_damaged_and_hostile_pages_are_read_as_if_nothing_were_known(seed):
    chance = random.Random(seed)
    known = [record(number, chance.choice([METADATA, MARC])) for number in range(1, 7)]
    memory = remembered(listed(*known))
    recognised = 0
    for _ in range(400):
        body = listed(*chance.sample(known, chance.randint(1, 5)), record(9), end=token("a")).decode()
        for _ in range(chance.randint(1, 3)):
            tags = [place for place, character in enumerate(body) if character == "<"]
            place = chance.choice([chance.randrange(len(body)), chance.choice(tags)])
            end = place + chance.choice([0, 0, 0, 1, 5, 60])
            body = body[:place] + chance.choice(FRAGMENTS) + body[end:]
        page, expected = memory.stored(body.encode()), whole(body.encode())
        if page is not None:
            assert expected is not None, body
            assert_same(page, expected, memory)
            recognised += any(unread(page))
    assert recognised


def test_what_is_read_of_a_record_belongs_to_the_version():
    """If this fails, other values are read now: raise `recognition.VERSION`, so that stored records are read again."""
    rights = (
        '<about><rights xmlns="http://www.openarchives.org/OAI/2.0/rights/">'
        '<rightsReference ref="http://creativecommons.org/licenses/by/4.0/"/></rights></about>'
    )
    specs = "<setSpec>a:b</setSpec><setSpec> c </setSpec><setSpec>a:b</setSpec>"
    header = f"<identifier> oai:x:1 </identifier><datestamp>2026-01-01 </datestamp>{specs}"
    body = listed(
        record(1, f"\n{MARC}\n", header=header).replace("</metadata></record>", f"</metadata>{rights}</record>"),
        record(2, METADATA.replace("本", "<![CDATA[本]]>&amp;")),
        attributes=f'xmlns="{OAI}" xmlns:x="urn:x"',
    )
    page = whole(body, "c:d")
    assert page
    read = [(one.identifier, one.datestamp, one.set_specs, one.payload, one.about) for one in page.records]
    digest = hashlib.sha256(repr(read).encode()).hexdigest()[:16]
    assert (recognition.VERSION, digest) == (1, "266f1ac1aa226410")


def test_without_anything_known_the_page_itself_is_parsed():
    body = listed(record(1))
    page = recognition.recognise(body, "ListRecords", "", recognise_nothing)
    assert page
    assert (page.runs, page.identifiers) == ((), ["oai:provider.example:1"])
