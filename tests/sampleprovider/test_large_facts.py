"""The tables of the large demo: true to form, each row with its source, numbers with correct check digits."""

import csv
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from metadata.authorities import authority
from metadata.identifiers import normalise
from metadata.text.folding import fold_tight
from metadata.vocabularies.terms import LANGUAGES
from sampleprovider.demo.large.descriptions import KINDS
from sampleprovider.demo.large.facts import AUTHORITIES, FOLDER, Publication, publications

ALL = publications()
LONGEST = 400  # characters of a cell: facts, no prose
LOOK_UP = "look up: "
READING = re.compile(r"[^\u3041-\u3096\u4e00-\u9fff]*")  # neither hiragana nor kanji


def read_references() -> dict[str, range]:
    """The works of reference by name, each with the years of the publications that it lists."""
    with (FOLDER.parent / "references.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {row["name"]: range(int(row["first_year"]), int(row["last_year"]) + 1) for row in rows}


REFERENCES = read_references()


def looked_up(one: Publication) -> bool:
    """Whether the source names a work of reference, an entry of it, and the publication is of its years."""
    if not one.source.startswith(LOOK_UP):
        return False
    source = one.source.removeprefix(LOOK_UP)
    years = [years for name, years in REFERENCES.items() if source.startswith(f"{name}: ") and source[len(name) + 2 :]]
    return any(int(one.issued[:4]) in span for span in years)


def wrong(is_right: Callable[[Publication], object]) -> list[tuple[str, str]]:
    return [(publication.title, publication.source) for publication in ALL if not is_right(publication)]


def test_there_are_enough_publications_for_a_demo() -> None:
    assert 2000 <= len(ALL) <= 5000


def test_every_publication_has_a_title_and_a_source() -> None:
    assert not wrong(lambda one: one.title.strip() and len(one.source) > len("https://"))


def test_cells_are_facts_without_prose_or_surrounding_space() -> None:
    cells = [(one.title, cell) for one in ALL for cell in vars(one).values() if isinstance(cell, str)]
    assert not [(title, cell) for title, cell in cells if len(cell) > LONGEST or cell != cell.strip()]


def test_no_cell_has_a_sign_that_was_damaged_on_the_way() -> None:
    assert not wrong(lambda one: not any("<U+" in cell or "\ufffd" in cell for cell in vars(one).values()))


@pytest.mark.parametrize("scheme", ["ISBN", "ISSN", "DOI", "JPNO"])
def test_numbers_are_in_normal_form_and_their_check_digits_are_right(scheme: str) -> None:
    numbers = [getattr(one, scheme.lower()) for one in ALL]
    given = [number for number in numbers if number]
    assert given
    assert not [number for number in given if normalise(scheme, number) != number]


def test_a_wrong_check_digit_would_be_noticed() -> None:
    right = next(one.isbn for one in ALL if one.isbn)
    assert normalise("ISBN", f"{right[:-1]}{(int(right[-1]) + 1) % 10}") != f"{right[:-1]}{(int(right[-1]) + 1) % 10}"


@pytest.mark.parametrize("scheme", ["isbn", "doi", "jpno", "ncid", "number"])
def test_no_two_publications_have_the_same_number(scheme: str) -> None:
    counts = Counter(getattr(one, scheme) for one in ALL if getattr(one, scheme))
    assert not [number for number, count in counts.items() if count > 1]


def test_no_publication_is_listed_twice() -> None:
    keys = Counter(
        (fold_tight(one.title), one.volume, fold_tight(one.publisher), one.issued[:4], one.edition, one.type)
        for one in ALL
    )
    assert not [key for key, count in keys.items() if count > 1]


def test_every_source_is_a_record_or_an_entry_of_a_work_of_reference_whose_years_match() -> None:
    assert not wrong(lambda one: one.source.startswith(("https://", "http://", "CDL goldfinch")) or looked_up(one))
    assert not wrong(lambda one: "general knowledge" not in one.source)


def test_every_work_of_reference_is_used() -> None:
    assert not [name for name in REFERENCES if not any(f"{LOOK_UP}{name}: " in one.source for one in ALL)]


def test_numbers_of_books_stand_only_where_a_record_has_them() -> None:
    """A work of reference gives titles, names and years, but no numbers."""
    assert not wrong(lambda one: not one.source.startswith(LOOK_UP) or not (one.isbn or one.issn or one.jpno))


def test_identifiers_of_persons_are_valid_and_each_names_the_record_that_gives_it() -> None:
    with AUTHORITIES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = {person.name for one in ALL for person in one.persons}
    assert len(rows) >= 50 and not [row for row in rows if row["name"] not in names]
    assert not [row for row in rows if not authority("", row["authority"])]
    assert not [row for row in rows if not row["source"].startswith("https://")]


def test_years_lie_between_the_first_printed_books_and_now() -> None:
    this_year = datetime.now(UTC).year
    dates = [one for one in ALL if one.issued]
    assert not [one for one in dates if not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2]))?", one.issued)]
    assert not [one for one in dates if not 1450 <= int(one.issued[:4]) <= this_year]
    assert not wrong(lambda one: one.issued or one.type == "serial")


def test_kinds_languages_classes_and_readings_are_of_the_right_form() -> None:
    assert not wrong(lambda one: one.type in KINDS)
    assert not wrong(lambda one: not one.language or one.language in LANGUAGES)
    assert not wrong(lambda one: not one.ndc or re.fullmatch(r"\d{3}(\.\d+)?", one.ndc))
    assert not wrong(lambda one: READING.fullmatch(one.reading))
    assert not wrong(lambda one: all(person.name and READING.fullmatch(person.reading) for person in one.persons))


def test_the_tables_contain_every_kind_that_the_demo_shows() -> None:
    kinds = {one.type for one in ALL}
    assert {"book", "oldbook", "film", "serial", "article", "thesis", "dataset"} <= kinds
    assert sum(bool(one.popular) for one in ALL) >= 100


def test_tables_are_separated_by_tabs_in_utf_8_with_unix_line_ends() -> None:
    for path in FOLDER.glob("*.tsv"):
        text = path.read_bytes()
        assert b"\r" not in text and text.endswith(b"\n"), path.name
        assert len({line.count(b"\t") for line in text.splitlines()}) == 1, path.name
