"""What a program gets right: faults of providers, changed and deleted records, descriptions of the same book, and
searches in other spellings.

The faults are those scenarios of the sample provider after which, by the expectations of our own tests, a careful
harvester has every record that can be had.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Protocol

from metadata.text.romaji import romanise
from sampleprovider.books import Book, book
from sampleprovider.generator import described_book, generated_source
from sampleprovider.rendering import full_dcndl
from sampleprovider.replies import OAI
from sampleprovider.scenarios import every_place
from sampleprovider.scenarios.base import DAMAGED, SUCCEEDED, Scenario
from sampleprovider.server import running
from sampleprovider.source import DEFAULT_BASE, SampleRecord, SampleSource
from sampleprovider.trial import number_of, trial_source

RECORDS = 400  # that are searched, and grouped into books
BOOKS = 60  # that are searched for
DEADLINE = 5  # seconds that both harvesters give a request
LONGEST = 90  # seconds for the harvests of one scenario, as in `harvesting.management.trials`
EDITED = 20  # records that a provider changes, and as many that it deletes and that it leaves
PROVIDER, PAGE = "edited", 10
OLD_FORMS = str.maketrans(
    "国学図書会社万与経済声価伝読医来円権広実写真寿体台対点数当発",
    "國學圖書會社萬與經濟聲價傳讀醫來圓權廣實寫眞壽體臺對點數當發",
)
SECTIONS = {
    "H": "HTTP",
    "T": "resumption tokens and lists",
    "X": "XML and characters",
    "R": "records and deletions",
    "D": "dates",
    "I": "Identify",
    "E": "errors",
    "S": "sets",
}


class Program(Protocol):
    """A program that harvests, stores, groups and searches. It is used for one of the functions below only."""

    def after(self, scenario: Scenario, source: SampleSource) -> Collection[int]:
        """Return the numbers of the records that are there after the harvests of a scenario, and no others."""

    def take_over(self, url: str) -> None:
        """Harvest and index all records of a provider, in an empty database."""

    def take_changes(self, url: str) -> None:
        """Harvest and index what has changed at the provider since `take_over`."""

    def books(self) -> int:
        """Return the number of books into which the records are grouped."""

    def titles(self, typed: str) -> Collection[str]:
        """Return the titles that a search finds, each perhaps with a volume behind it."""


type Score = tuple[int, int, list[str]]  # right, of all, the names of what is wrong as far as it has names


def run_command[P: Program](program: P, measure: Callable[[P, str], object], arguments: Sequence[str]) -> None:
    """Do what the arguments say, and print the result as JSON: `measure URL`, `faults SOME`, `changes` or `catalogue`."""
    match arguments:
        case ["measure", url]:
            print(json.dumps(measure(program, url)))
        case ["faults", some]:
            print(json.dumps(faults(program, int(some))))
        case ["changes"]:
            print(json.dumps(changes(program)))
        case ["catalogue"]:
            print(json.dumps(catalogue(program)))
        case _:
            raise ValueError(arguments)


def faults(program: Program, some: int) -> dict[str, Score]:
    """Return after how many scenarios every record is there, by section. some: only so many scenarios, 0 = all."""
    wrong: dict[str, list[str]] = {f"faults: {name}": [] for name in SECTIONS.values()}
    every = dict.fromkeys(wrong, 0)
    for scenario in islice(filter(can_be_had, every_place()), some or None):
        section = f"faults: {SECTIONS[scenario.rows[0][0]]}"
        every[section] += 1
        if not is_complete(program, scenario):
            wrong[section].append(scenario.name)
    return {section: (count - len(wrong[section]), count, wrong[section]) for section, count in every.items() if count}


def can_be_had(scenario: Scenario) -> bool:
    """Whether a careful harvester gets all records of the scenario, with no settings but an address and a format."""
    expected = scenario.expected
    plain = scenario.protocol == OAI and not (scenario.tls or scenario.feed or scenario.query or scenario.forbidden)
    return plain and expected.states == (SUCCEEDED,) and expected.live in ("rest", "all")


def is_complete(program: Program, scenario: Scenario) -> bool:
    """Whether the program has exactly the records that there are; a damaged one may be missing."""
    source = scenario.adapt(trial_source()) if scenario.adapt else trial_source()
    listed = {number_of(one.identifier) for one in source.holdings.listing("oai_dc", "") if not one.deleted}
    wanted = listed if scenario.expected.live == "all" else listed | set(scenario.expected.extra)
    damaged = {DAMAGED[scenario.place]} if scenario.expected.damaged else set()
    there = set(program.after(scenario, source))
    return there - damaged == wanted - set(scenario.expected.gone) - damaged


def catalogue(program: Program) -> dict[str, Score]:
    """Return into how many books RECORDS descriptions are grouped, and the searches that find the wanted book."""
    with running([generated_source(RECORDS)]) as address:
        program.take_over(f"{address}/generated/oai")
    numbers = sorted({described_book(index)[0] for index in range(RECORDS)})
    scores: dict[str, Score] = {"books, and how many they are": (program.books(), len(numbers), [])}
    for name, typed in SEARCHES.items():
        asked = [(one, text) for one in map(book, numbers[:BOOKS]) if (text := typed(one))]
        right = sum(_finds(program, text, one) for one, text in asked)
        scores[f"search: {name}"] = (right, len(asked), [])
    return scores


def changes(program: Program) -> dict[str, Score]:
    """Return how many changed, deleted and remaining records of a provider a search finds as they are now."""
    first, second, rest, later = (
        list(islice(_different_titles(), start * EDITED, (start + 1) * EDITED)) for start in range(4)
    )
    source = SampleSource(name=PROVIDER, prefixes=("oai_dc", "dcndl"), page_size=PAGE)
    source.replace(_listed(one.number, one, "2024-01-01T00:00:00Z") for one in (*first, *second, *rest))
    with running([source]) as address:
        url = f"{address}/{PROVIDER}/oai"
        program.take_over(url)
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        source.update(_listed(old.number, new, now) for old, new in zip(first, later, strict=True))
        source.update(_listed(one.number, None, now) for one in second)
        program.take_changes(url)
    pairs = list(zip(first, later, strict=True))
    changed = sum(_finds_title(program, new) and not _finds_title(program, old) for old, new in pairs)
    return {
        "changed records, found under the new title only": (changed, EDITED, []),
        "deleted records, not found": (sum(not _finds_title(program, one) for one in second), EDITED, []),
        "unchanged records, still found": (sum(_finds_title(program, one) for one in rest), EDITED, []),
    }


def _different_titles() -> Iterator[Book]:
    """Yield books of which no title begins like that of an earlier one."""
    known: list[str] = []
    for one in map(book, range(100_000)):
        if not any(one.title[0].startswith(title) or title.startswith(one.title[0]) for title in known):
            known.append(one.title[0])
            yield one


def _listed(number: int, described: Book | None, datestamp: str) -> SampleRecord:
    """Return a record with a description of the book; a deleted one without."""
    about = f"{DEFAULT_BASE}/{PROVIDER}/books/{number:09d}"
    payloads = {"dcndl": full_dcndl(described, about)} if described else {}
    identifier = f"oai:{PROVIDER}.example:{number:09d}"
    return SampleRecord(identifier=identifier, datestamp=datestamp, deleted=described is None, payloads=payloads)


def _finds_title(program: Program, wanted: Book) -> bool:
    return _finds(program, wanted.title[0], wanted)


def _finds(program: Program, typed: str, wanted: Book) -> bool:
    return any(title.startswith(wanted.title[0]) for title in program.titles(typed))


def _other_than(text: str, other: str) -> str:
    """Return the other spelling, "" if it is the same."""
    return other if other != text else ""


def _hiragana(reading: str) -> str:
    return "".join(chr(ord(sign) - 0x60) if "ァ" <= sign <= "ヶ" else sign for sign in reading)


def _wide(text: str) -> str:
    """Return the text with digits and Latin letters in full width."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


# What a reader types who looks for a book
SEARCHES: Mapping[str, Callable[[Book], str]] = {
    "title as printed": lambda one: one.title[0],
    "its first two characters": lambda one: one.title[0][:2],
    "its reading, without the last character": lambda one: one.title[1][:-1],
    "its reading in katakana, without spaces": lambda one: one.title[1].replace(" ", ""),
    "its reading in hiragana": lambda one: _hiragana(one.title[1]),
    "its reading in Latin letters": lambda one: romanise(one.title[1]),
    "title in old characters": lambda one: _other_than(one.title[0], one.title[0].translate(OLD_FORMS)),
    "name of the author, without a comma": lambda one: f"{one.people[0].family}{one.people[0].given}",
    "title and author": lambda one: f"{one.title[0]} {one.people[0].family}",
    "title and subject": lambda one: f"{one.title[0]} {one.topic[0]}",
    "title and series": lambda one: one.series[0] and f"{one.title[0]} {one.series[0]}",
    "ISBN with hyphens": lambda one: (
        f"{one.isbn[:3]}-{one.isbn[3:4]}-{one.isbn[4:]}" if one.isbn.isdecimal() else one.isbn
    ),
    "ISBN in full width": lambda one: _wide(one.isbn),
}
