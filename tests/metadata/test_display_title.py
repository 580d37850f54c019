"""The title of a book as one line."""

from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from metadata.display_title import Parts, display_title, take_apart, title_and_volume
from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import BibliographicRecord, Host, MaterialType, Title
from sampleprovider.demo.small import DemoLine
from tests.metadata.formats.test_round_trip_samples import FOLDERS, records
from tests.paths import DEMO


def book(title: str, volume: str = "", volume_title: str = "", edition: str = "") -> BibliographicRecord:
    return BibliographicRecord(
        titles=(Title(value=title),),
        volumes=(Title(value=volume),) if volume else (),
        volume_titles=(Title(value=volume_title),) if volume_title else (),
        editions=(edition,) if edition else (),
    )


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (book("ノルウェイの森"), "ノルウェイの森"),
        (book("ノルウェイの森", "上"), "ノルウェイの森. 上"),
        (book("ノルウェイの森", "上", "春"), "ノルウェイの森. 上, 春"),
        (book("ノルウェイの森", "", "春", "新版"), "ノルウェイの森. 春. — 新版"),
        (book("ノルウェイの森", "上", "", "新版"), "ノルウェイの森. 上. — 新版"),
        (book("草枕 上", "上"), "草枕 上"),
        (book("以上", "上"), "以上. 上"),
        (book("Anatomy.", "Vol. 2", "", "3rd ed."), "Anatomy. Vol. 2. — 3rd ed."),
        (BibliographicRecord(display_title="草枕 上", volumes=(Title(value="上"),)), "草枕 上"),
        (BibliographicRecord(), ""),
    ],
)
def test_the_line_is_in_the_punctuation_of_isbd(record, line):
    assert display_title(record) == line


def test_the_edition_is_left_to_formats_that_have_an_element_for_it():
    assert title_and_volume(book("草枕", "上", "春", "新版")) == "草枕. 上, 春"


@pytest.mark.parametrize("volume", ["上", "第2巻", "12", "下巻", "Vol. 3", "二"])
@pytest.mark.parametrize(("volume_title", "edition"), [*product(["", "春の巻"], ["", "改訂版", "3rd ed."])])
def test_a_line_is_taken_apart_again(volume, volume_title, edition):
    line = display_title(book("草枕", volume, volume_title, edition))
    assert take_apart(line) == Parts("草枕", volume, volume_title, edition)


@pytest.mark.parametrize(
    "title", ["草枕", "Dr. No", "科学. 社会, そして人間", "1984", "上", "", ". 1", ". — 新版", "A. " * 2000]
)
def test_a_title_without_a_number_is_whole(title):
    assert take_apart(title) == Parts(title)


@pytest.mark.parametrize("prefix", ["oai_dc", "junii2"])
def test_our_own_records_are_read_with_volume_and_edition(prefix):
    of_book = (MaterialType(uri="http://ndl.go.jp/ndltype/Book"),)
    own = structs.replace(
        book("ノルウェイの森", "上", "春", "新装版"), material_types=of_book, see_also=("http://a.example/1",)
    )
    again = read(WRITERS[prefix].write(own), prefix).record
    assert (again.title, again.volume, again.volume_titles, again.edition) == (
        *("ノルウェイの森", "上", own.volume_titles, "新装版"),
    )


BOOKS = [
    book("ノルウェイの森", *rest)
    for rest in product(["", "上", "下", "第1巻"], ["", "春", "夏"], ["", "新装版", "第2版"])
]


@pytest.mark.parametrize("prefix", WRITERS)
def test_no_two_volumes_or_editions_look_alike(prefix):
    assert len({WRITERS[prefix].write(record) for record in BOOKS}) == len(BOOKS)


STATEMENTS = st.tuples(
    st.sampled_from(["草枕", "Anatomy.", "以上", "x 1"]),
    st.sampled_from(["上", "下", "第10巻", "Vol. 1", "1", ""]),
    st.sampled_from(["春", "夏 / 秋", ""]),
    st.sampled_from(["新版", "3rd ed.", ""]),
)


@pytest.mark.parametrize("prefix", WRITERS)
@given(one=STATEMENTS, other=STATEMENTS)
def test_books_that_differ_look_different(prefix, one, other):
    if display_title(book(*one)) != display_title(book(*other)):
        assert WRITERS[prefix].write(book(*one)) != WRITERS[prefix].write(book(*other))


@pytest.mark.parametrize("source", sorted(FOLDERS))
def test_no_two_different_books_of_the_samples_look_alike(samples, source):
    _check_looks({_statement(record) for _path, record in records(samples, source)})


@pytest.mark.parametrize("path", sorted(DEMO.glob("*.json")), ids=lambda path: path.stem)
def test_no_two_different_books_of_the_demo_look_alike(path):
    lines = path.with_suffix(".jsonl").read_bytes().splitlines()
    found = [msgspec.json.decode(line, type=DemoLine).record for line in lines]
    _check_looks({_statement(record) for record in found if record})


def _check_looks(statements):
    """Titles, volumes and editions only: numbers, dates and links tell most books apart by themselves."""
    assert statements
    lines = {display_title(statement) for statement in statements}
    for prefix, writer in WRITERS.items():
        assert len({writer.write(statement) for statement in statements}) >= len(lines), prefix


def _statement(record: BibliographicRecord) -> BibliographicRecord:
    return structs.replace(
        BibliographicRecord(),
        titles=tuple(Title(value=title.value) for title in record.titles[:1]),
        volumes=record.volumes,
        volume_titles=record.volume_titles,
        editions=record.editions[:1],
        host=Host(),
    )
