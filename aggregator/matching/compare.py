"""Two feature rows field by field: discrete outcomes with weights that add up. Pure; knows no threshold.

Symmetrical: compare(a, b) == compare(b, a). A missing value is unknown and gives no evidence, except a volume or an
edition that only one side states. A veto is an outcome that no sum of weights can outbid.
"""

import re

import msgspec
from rapidfuzz.fuzz import ratio

from aggregator.matching.features import Features

VETO = -100.0


class Evidence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one rule found. weight: added to the score; VETO or less forbids joining."""

    rule: str
    outcome: str
    weight: float

    @property
    def vetoes(self) -> bool:
        """Whether the two cannot be the same, whatever else agrees."""
        return self.weight <= VETO


# Every weight there is. Additive like log odds; the order of size follows what labelled pairs teach:
# an ISBN needs a title beside it, and a volume that one side alone states outweighs an ISBN.
WEIGHTS: dict[tuple[str, str], float] = {
    ("isbn", "same"): 3.0,
    ("isbn", "suspect"): 0.5,
    ("isbn", "different"): -4.0,
    ("set_isbn", "same"): 0.5,
    ("issn", "same"): 2.5,
    ("issn", "different"): VETO,
    ("number", "same"): 1.5,
    ("number", "different"): -1.5,
    ("title", "same"): 2.0,
    ("title", "core"): 1.7,
    ("title", "reading"): 1.5,
    ("title", "subtitle_differs"): 0.0,
    ("title", "other_title"): 0.5,
    ("title", "contained"): 0.3,
    ("title", "similar"): 0.0,
    ("title", "unreadable"): -0.5,
    ("title", "supplement"): VETO,
    ("title", "unrelated"): VETO,
    ("volume", "same"): 0.5,
    ("volume", "set"): 0.5,
    ("volume", "unclear"): -1.5,
    ("volume", "one_side"): -3.5,
    ("volume", "perhaps_set"): -6.0,
    ("volume", "set_unclear"): -1.0,
    ("volume", "different"): VETO,
    ("volume", "set_against_volume"): VETO,
    ("edition", "same"): 0.5,
    ("edition", "unclear"): -1.5,
    ("edition", "one_side"): -3.0,
    ("edition", "different"): VETO,
    ("author", "same"): 1.0,
    ("author", "family_name"): 0.5,
    ("author", "different"): -2.0,
    ("publisher", "same"): 0.8,
    ("publisher", "different"): -0.8,
    ("year", "same"): 1.3,
    ("year", "near"): 0.0,
    ("year", "printing"): -1.0,
    ("year", "far"): -3.5,
    ("pages", "same"): 1.5,
    ("pages", "near"): 0.5,
    ("pages", "different"): -2.5,
    ("kind", "different"): VETO,
    ("carrier", "different"): VETO,
}

_FOUND = {(rule, outcome): Evidence(rule, outcome, weight) for (rule, outcome), weight in WEIGHTS.items()}


def compare(a: Features, b: Features, suspect: frozenset[str] = frozenset()) -> tuple[Evidence, ...]:
    """The evidence, in the order of `_RULES`. suspect: ISBNs that several books bear (see `group`)."""
    found = [(rule, judge(a, b)) for rule, judge in _RULES]
    outcomes = [("isbn", _isbn(a, b, suspect)), *found]
    return tuple(_FOUND[rule, outcome] for rule, outcome in outcomes if outcome)


def _isbn(a: Features, b: Features, suspect: frozenset[str]) -> str:
    if not a.isbns or not b.isbns:
        return ""
    common = set(a.isbns).intersection(b.isbns)
    if not common:
        return "different"
    return "same" if common - suspect else "suspect"


def _set_isbn(a: Features, b: Features) -> str:
    return "same" if a.set_isbns and not set(a.set_isbns).isdisjoint(b.set_isbns) else ""


def _issn(a: Features, b: Features) -> str:
    if not a.issns or not b.issns:
        return ""
    return "different" if set(a.issns).isdisjoint(b.issns) else "same"


def _number(a: Features, b: Features) -> str:
    if not a.ids or not b.ids:
        return ""
    if not set(a.ids).isdisjoint(b.ids):
        return "same"
    schemes = {each.partition(":")[0] for each in a.ids}
    return "different" if any(each.partition(":")[0] in schemes for each in b.ids) else ""


def _title(a: Features, b: Features) -> str:
    if not a.title or not b.title:
        return "unreadable"
    if a.full == b.full:
        return "same"
    if a.title == b.title:
        return "core" if a.full == a.title or b.full == b.title else "subtitle_differs"
    if bool(_SUPPLEMENT.search(a.full)) != bool(_SUPPLEMENT.search(b.full)):
        return "supplement"
    return _reading(a, b) or _other_title(a, b) or _likeness(a, b)


def _reading(a: Features, b: Features) -> str:
    """Equal readings, or one side has the reading for a title (カタカナ only)."""
    if a.yomi and a.yomi in (b.yomi, b.title) or b.yomi and b.yomi == a.title:
        return "reading"
    return ""


def _other_title(a: Features, b: Features) -> str:
    """Entered under the volume title, the series, an alternative title, or with the subtitle run on."""
    if a.title == b.full or b.title == a.full or a.title in b.entries or b.title in a.entries:
        return "other_title"
    return "other_title" if a.title in b.others or b.title in a.others else ""


_KANA_ONLY = re.compile(r"[ァ-ヺ]+\Z")
_NUMBERS = re.compile(r"[0-9〇一二三四五六七八九十]+")
_SUPPLEMENT = re.compile("増刊|別冊|付録|索引|総目次|supplement|index")
_LIKE = 85.0  # per cent of the longer title; one wrong character in seven
_PREFIX = 4  # characters that say something of a title


def _likeness(a: Features, b: Features) -> str:
    short, long = sorted((a.full, b.full), key=lambda text: (len(text), text))
    if _NUMBERS.findall(short) == _NUMBERS.findall(long) and ratio(short, long) >= _LIKE:
        return "similar"
    if len(short) >= _PREFIX and (long.startswith(short) or long.endswith(short)):
        return "contained"
    if not (a.yomi and b.yomi) and bool(_KANA_ONLY.match(a.title)) != bool(_KANA_ONLY.match(b.title)):
        return "unreadable"
    return "unrelated"


def _volume(a: Features, b: Features) -> str:
    if a.is_set or b.is_set:
        if a.is_set and b.is_set:
            return "set"
        return "set_against_volume" if a.volume or b.volume else "set_unclear"
    if a.volume == b.volume:
        return "same" if a.volume else ""
    if not a.volume or not b.volume:
        without = b if a.volume else a
        return "perhaps_set" if len(without.isbns) > 1 else "one_side"  # a set that lists its volumes' ISBNs
    return "unclear" if _perhaps_equal(a.volume, b.volume) else "different"


def _perhaps_equal(first: str, second: str) -> bool:
    """上 may be called 1, 中 2, and 下 2 or 3; a name may hide a number."""
    return second in _PART_NUMBERS.get(first, ()) or first in _PART_NUMBERS.get(second, ())


_PART_NUMBERS = {"上": ("1", "前"), "中": ("2",), "下": ("2", "3", "後"), "前": ("1", "上"), "後": ("2", "下")}


def _edition(a: Features, b: Features) -> str:
    if a.edition == b.edition:
        return "same" if a.edition else ""
    numbers = _edition_number(a.edition), _edition_number(b.edition)
    if all(numbers):
        return "different" if numbers[0] != numbers[1] else "same"
    if {a.edition, b.edition} == {"", "1"}:
        return ""  # nobody need say that it is the first
    return "unclear" if a.edition and b.edition else "one_side"


def _edition_number(edition: str) -> str:
    return edition.lstrip("aflnor")


def _author(a: Features, b: Features) -> str:
    if not a.persons or not b.persons:
        return ""
    if not set(a.persons).isdisjoint(b.persons):
        return "same"
    latin = [each for each in a.persons if each.isascii()], [each for each in b.persons if each.isascii()]
    if {each.partition(" ")[0] for each in latin[0]} & {each.partition(" ")[0] for each in latin[1]}:
        return "family_name"
    same_script = latin[0] and latin[1] or len(latin[0]) < len(a.persons) and len(latin[1]) < len(b.persons)
    return "different" if same_script else ""


def _publisher(a: Features, b: Features) -> str:
    if not a.publishers or not b.publishers:
        return ""
    if any(first in second or second in first for first in a.publishers for second in b.publishers):
        return "same"
    return "different"


def _year(a: Features, b: Features) -> str:
    if not a.year or not b.year:
        return ""
    distance = abs(a.year - b.year)
    if distance <= 1:
        return "near" if distance else "same"
    return "far" if set(a.isbns).isdisjoint(b.isbns) else "printing"  # one ISBN: a later printing, most likely


def _pages(a: Features, b: Features) -> str:
    if not a.pages or not b.pages:
        return ""
    distance = abs(a.pages - b.pages)
    return "same" if distance == 0 else "near" if distance <= 4 else "different"


def _kind(a: Features, b: Features) -> str:
    return "different" if a.kind and b.kind and a.kind != b.kind else ""


def _carrier(a: Features, b: Features) -> str:
    return "different" if a.carrier and b.carrier and a.carrier != b.carrier else ""


_RULES = (
    ("set_isbn", _set_isbn),
    ("issn", _issn),
    ("number", _number),
    ("title", _title),
    ("volume", _volume),
    ("edition", _edition),
    ("author", _author),
    ("publisher", _publisher),
    ("year", _year),
    ("pages", _pages),
    ("kind", _kind),
    ("carrier", _carrier),
)
