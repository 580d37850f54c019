"""A provider whose titles recur as often as real ones, for the benchmarks. `benchmarks.children` starts it.

The titles of `sampleprovider.books` are combined from few words: among 10,000 of them four times as many share a
blocking key as among real ones, and most of these are unrelated. Here a title, and the name that it begins with, is that
of an earlier book as often as among 9,383 real books (see RESULTS.md): the process of Pitman and Yor ("The
two-parameter Poisson-Dirichlet distribution", Annals of Probability 25, 1997) with parameters fitted to these. For more
books than there are real ones, it is an extrapolation.
"""

import random
import sys
from collections.abc import Mapping

from benchmarks.union import serve_records
from sampleprovider.books import BLOCK, SECOND_VOLUME, Book, Person, book
from sampleprovider.generator import NAME, GeneratedRecords, described_book
from sampleprovider.rendering import full_dcndl, plain_dcndl
from sampleprovider.source import DEFAULT_BASE
from sampleprovider.words import KINDS, SCENES, TOPICS

# Discount and concentration: a fresh value is the rarer, the more values there are.
TITLES = (0.94, 7_500)
BEGINNINGS = (0.8, 280)
SAME_WORK = 0.4  # share of the books with a known title that are by the same people: another edition of the work
SUBJECTS = 12  # topics of the titles that begin with the same name
EXPERTS = 14  # authors who have written about the same place
BY_EXPERTS = 0.3  # share of the books that are by one of these
STRIDE = 1_618_033  # coprime to the number of names: the names in turn are very different

# Names of places are made of four of these.
SIGNS = [
    tuple(sign.split("/"))
    for sign in (
        "松/マツ 竹/タケ 梅/ウメ 桜/サクラ 柳/ヤナギ 杉/スギ 桐/キリ 藤/フジ 菊/キク 蘭/ラン 鶴/ツル 亀/カメ 鷹/タカ "
        "鷲/ワシ 雁/カリ 鴨/カモ 鹿/シカ 熊/クマ 狼/オオカミ 狐/キツネ 島/シマ 浜/ハマ 浦/ウラ 崎/サキ 磯/イソ 沢/サワ "
        "谷/タニ 岡/オカ 坂/サカ 峰/ミネ 原/ハラ 野/ノ 畑/ハタ 郷/ゴウ 里/サト 村/ムラ 町/マチ 宮/ミヤ 寺/テラ 社/ヤシロ "
        "橋/ハシ 堀/ホリ 池/イケ 沼/ヌマ 滝/タキ 泉/イズミ 井/イ 岩/イワ"
    ).split()
]
LENGTH = 4  # signs of a name


def draws(count: int, discount: float, concentration: float, dice: random.Random) -> list[int]:
    """Return a number for each of `count` draws: a fresh one (0, 1, …) or that of an earlier draw."""
    found: list[int] = []
    times: list[int] = []  # by number: how often it was drawn
    for drawn in range(count):
        if dice.random() * (drawn + concentration) >= concentration:
            known = dice.choice(found)
            if dice.random() * times[known] >= discount:
                found.append(known)
                times[known] += 1
                continue
        found.append(len(times))
        times.append(1)
    return found


class VariedBooks:
    """The books of `sampleprovider.books` under other titles. count: how many."""

    def __init__(self, count: int, seed: int = 3) -> None:
        self._titles = draws(count, *TITLES, random.Random(seed))
        self._beginnings = draws(max(self._titles) + 1, *BEGINNINGS, random.Random(seed + 1))
        self._first: dict[int, int] = {}  # title -> the first book that has it
        for number, title in enumerate(self._titles):
            self._first.setdefault(title, number)

    def book(self, number: int) -> Book:
        # Both volumes of a title are derived from the number of the first.
        seed = number - (number % BLOCK == SECOND_VOLUME)
        title = self._titles[seed]
        return book(number)._replace(title=self._text(title), people=self._people(seed, title))

    def _people(self, seed: int, title: int) -> tuple[Person, ...]:
        dice, first = random.Random(seed), self._first[title]
        if first != seed:
            return self._people(first, title) if dice.random() < SAME_WORK else book(seed).people
        expert = self._beginnings[title] * EXPERTS + dice.randrange(EXPERTS)
        return book(expert if dice.random() < BY_EXPERTS else seed).people

    def _text(self, title: int) -> tuple[str, str]:
        """The title of this number and its reading."""
        dice, beginning = random.Random(title), self._beginnings[title]
        topic = TOPICS[(beginning + dice.randrange(SUBJECTS)) % len(TOPICS)]
        name, scene, other, kind = place_name(beginning), dice.choice(SCENES), dice.choice(TOPICS), dice.choice(KINDS)
        written = f"{name[0]}の{topic[0]}と{scene[0]}の{other[0]}{kind[0]}"
        return written, f"{name[1]} ノ {topic[1]} ト {scene[1]} ノ {other[1]} {kind[1]}"


def place_name(number: int) -> tuple[str, str]:
    """The name of a place and its reading; no two numbers have the same."""
    rest = number * STRIDE % len(SIGNS) ** LENGTH
    signs = []
    for _ in range(LENGTH):
        rest, sign = divmod(rest, len(SIGNS))
        signs.append(SIGNS[sign])
    return "".join(written for written, _ in signs), "".join(reading for _, reading in signs)


class VariedRecords(GeneratedRecords):
    """The generated records of these books."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._books = VariedBooks(described_book(count)[0] + BLOCK)

    def payloads(self, index: int) -> Mapping[str, bytes]:
        number, is_repeated = described_book(index)
        write = plain_dcndl if is_repeated else full_dcndl
        return {"dcndl": write(self._books.book(number), f"{DEFAULT_BASE}/{NAME}/books/{index:09d}")}


def serve() -> None:
    """Serve as many records as the first argument says, after printing the base URL as JSON."""
    serve_records(VariedRecords(int(sys.argv[1])))
