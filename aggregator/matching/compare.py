"""Two feature rows field by field: discrete outcomes with weights that add up. Pure; knows no threshold.

Symmetrical: compare(a, b) == compare(b, a). A missing value is unknown and gives no evidence, except a volume or an
edition that only one side states. A veto is an outcome that no sum of weights can outbid.
"""

import re
from collections.abc import Collection, Mapping

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from aggregator.matching.features import Features
from aggregator.matching.model import MODEL, VETO, Evidence

Finding = tuple[str, str]  # rule, outcome

# What no sum of weights can outbid. All other weights are learned (model.json).
VETOES: dict[Finding, float] = dict.fromkeys(
    (
        ("issn", "different"),
        ("title", "supplement"),
        ("title", "unrelated"),
        ("volume", "different"),
        ("volume", "set_against_volume"),
        ("volume", "one_side_suspect"),
        ("edition", "different"),
        ("kind", "different"),
        ("carrier", "different"),
        ("support", "none"),
    ),
    VETO,
)
FINDINGS = MODEL.findings(VETOES)
NO_SUSPECTS: Mapping[str, str] = {}
WEIGHTS = {finding: evidence.weight for finding, evidence in FINDINGS.items()}


def compare(
    a: Features,
    b: Features,
    suspect: Mapping[str, str] = NO_SUSPECTS,
    findings: Mapping[Finding, Evidence] = FINDINGS,
) -> tuple[Evidence, ...]:
    """The evidence, in the order of the rules. suspect: ISBNs that several books bear (see `group`)."""
    return tuple([findings[each] for each in outcomes(a, b, suspect)])


def outcomes(a: Features, b: Features, suspect: Mapping[str, str] = NO_SUSPECTS) -> list[Finding]:
    """What the rules say, without weights."""
    isbn, title = _isbn(a, b, suspect), _title(a, b)
    volume = _volume_of_part(a, b) if title == "part" else _volume(a, b, isbn)
    first = [("isbn", isbn), ("title", title), ("volume", volume)]
    found = [each for each in [*first, *[(rule, judge(a, b)) for rule, judge in _RULES]] if each[1]]
    support = sum([each in _SUPPORTS for each in found])
    if title == "unreadable":  # an ISBN must not do it alone, nor anything without an ISBN
        support = support - 1 if isbn in _IDENTIFY else 0
    if support > 1:
        return found
    if support == 1 and isbn not in _IDENTIFY and _short(a.full) and _short(b.full):
        support = 0
    return [*found, ("support", "one" if support == 1 else "none")]


_SAYS_LITTLE, _LATIN_SAYS_LITTLE = 4, 10  # characters of a title that many books may bear


def _short(title: str) -> bool:
    return len(title) <= (_LATIN_SAYS_LITTLE if title.isascii() else _SAYS_LITTLE)


_IDENTIFY = ("same", "list", "listed")
# A title is not enough: these tell two books of one title apart.
_SUPPORTS = frozenset(
    {
        ("isbn", "same"),
        ("isbn", "list"),
        ("isbn", "listed"),
        ("isbn", "suspect"),
        ("issn", "same"),
        ("number", "same"),
        ("author", "same"),
        ("publisher", "same"),
        ("year", "same"),
        ("year", "near"),
        ("pages", "same"),
        ("pages", "near"),
    }
)


def _isbn(a: Features, b: Features, suspect: Mapping[str, str]) -> str:
    if not a.isbns or not b.isbns:
        return ""
    if a.isbns == b.isbns:
        common: Collection[str] = a.isbns
    else:
        common = set(a.isbns).intersection(b.isbns)
        if not common:
            return "different"
    found = {suspect.get(each, "same") for each in common}
    if len(common) > 1 and len(a.isbns) == len(b.isbns) and found != {"same"}:
        return "list"
    return "same" if "same" in found else min(found)


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
    if len(_SUPPLEMENT.findall(a.full)) != len(_SUPPLEMENT.findall(b.full)):
        return "supplement"
    return _reading(a, b) or _other_title(a, b) or _likeness(a, b)


def _reading(a: Features, b: Features) -> str:
    """Equal readings, or one side has the reading for a title (カタカナ only)."""
    if a.yomi and a.yomi in (b.yomi, b.title) or b.yomi and b.yomi == a.title:
        return "reading"
    return ""


def _other_title(a: Features, b: Features) -> str:
    """Entered under the volume title, the series, an alternative title, or with the subtitle run on."""
    if a.part and a.part == b.title or b.part and b.part == a.title:
        return "part"
    if a.title == b.full or b.title == a.full or a.title in b.entries or b.title in a.entries:
        return "other_title"
    return "other_title" if a.title in b.others or b.title in a.others else ""


_KANA_ONLY = re.compile(r"[ァ-ヺ]+\Z")
_NUMBERS = re.compile(r"[0-9〇一二三四五六七八九十]+")
_SUPPLEMENT = re.compile("増刊|別冊|付録|索引|総目次|ゾウカン|ベツサツ|supplement|index")
_LIKE = 85.0  # per cent of the longer title; one wrong character in seven
_PREFIX, _LATIN_PREFIX = 4, 12  # characters that say something of a title


def _likeness(a: Features, b: Features) -> str:
    short, long = sorted((a.full, b.full), key=lambda text: (len(text), text))
    if sorted(_NUMBERS.findall(short)) == sorted(_NUMBERS.findall(long)):
        if ratio(short, long) >= _LIKE:
            return "similar"
        if len(short) >= _PREFIX and OSA.distance(short, long, score_cutoff=1) <= 1:
            return "mistyped"
    if len(short) >= (_LATIN_PREFIX if short.isascii() else _PREFIX) and long.startswith(short):
        return "begins"
    if len(short) >= _PREFIX and (long.startswith(short) or long.endswith(short)):
        return "contained"
    if not (a.yomi and b.yomi) and bool(_KANA_ONLY.match(a.title)) != bool(_KANA_ONLY.match(b.title)):
        return _perhaps_read(*((a.title, b.title) if _KANA_ONLY.match(a.title) else (b.title, a.title)))
    return "unrelated"


def _perhaps_read(kana: str, mixed: str) -> str:
    """Whether the kana may be the reading of the other title: its own kana in order, a sound or more for each kanji.

    Linear: every run of kana is taken where it comes first.
    """
    kana, place = kana.translate(_SPOKEN), 0
    for silent, run in _RUNS.findall(mixed.translate(_SPOKEN)):
        sounds = len(_KANJI.findall(silent))
        found = kana.find(run, place + sounds)
        if found < 0 or silent and found > place + _SOUNDS * len(silent):
            return "unrelated"
        place = found + len(run)
    if place < len(kana) and (not mixed or _KANA_ONLY.match(mixed[-1])):
        return "unrelated"
    return "readable" if len(mixed) >= _READ else "unreadable"


_SPOKEN = str.maketrans("ハヘ", "ワエ")  # as particles
_RUNS = re.compile("([^ァ-ヺ]*)([ァ-ヺ]*)")
_KANJI = re.compile("[一-龥]")
_SOUNDS = 5  # at most, of a kanji or another sign
_READ = 4  # characters; a shorter title may be read like many others


def _volume(a: Features, b: Features, isbn: str) -> str:
    if a.is_set or b.is_set:
        return _sets(a, b, isbn)
    if a.volume == b.volume:
        return "same" if a.volume else ""
    if a.volume and b.volume:
        return "unclear" if _perhaps_equal(a.volume, b.volume) else "different"
    stated, without = (a, b) if a.volume else (b, a)
    if len(without.isbns) > 1 and isbn != "list":
        return "perhaps_set"  # one that lists its volumes' ISBNs
    if isbn in _ONE_SIDE:
        return _ONE_SIDE[isbn]
    return "one_side_bare" if stated.bare else "one_side"


_ONE_SIDE = {
    "same": "one_side_isbn",
    "list": "one_side_isbn",
    "listed": "one_side_listed",
    "suspect": "one_side_suspect",
}


def _sets(a: Features, b: Features, isbn: str) -> str:
    if a.is_set and b.is_set:
        return "set"
    if a.volume or b.volume:
        return "set_against_volume"
    if isbn == "list":
        return "set_listed"
    whole, other = (a, b) if a.is_set else (b, a)
    return "one_of_set" if isbn and len(other.isbns) < len(whole.isbns) else "set_unclear"


def _volume_of_part(a: Features, b: Features) -> str:
    """One is entered under its series or set, with its number there; the other under its own title."""
    if b.is_set or a.is_set:
        return "part_set"
    if a.part != b.title:
        a, b = b, a
    numbers = {each.rpartition("#")[2] for each in b.series if each.rpartition("#")[0] == a.title} - {""}
    if numbers and a.volume:
        return "part_same" if a.volume in numbers else "part_different"
    if b.volume and b.volume in (a.volume, a.part_volume):
        return "same"
    if b.volume and a.part_volume:
        return "different"
    return "part_one_side" if b.volume or a.part_volume else "part"


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
    if a.edition and b.edition:
        return "unclear"
    return "one_side_later" if a.year and b.year and a.year != b.year else "one_side"


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


_REISSUED = 15  # years; whatever is printed again so late is set anew


def _year(a: Features, b: Features) -> str:
    if not a.year or not b.year:
        return ""
    distance = abs(a.year - b.year)
    if distance <= 1:
        return "near" if distance else "same"
    if distance > _REISSUED:
        return "very_far"
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


def _series(a: Features, b: Features) -> str:
    """The number in a series that both are in."""
    if not a.series or not b.series:
        return ""
    if not set(a.series).isdisjoint(b.series):
        return "same"
    numbers = dict([each.split("#", 1) for each in a.series])
    both = [(numbers.get(title, ""), number) for title, number in [each.split("#", 1) for each in b.series]]
    return "different" if any(one and other and one != other for one, other in both) else ""


_RULES = (
    ("set_isbn", _set_isbn),
    ("issn", _issn),
    ("number", _number),
    ("edition", _edition),
    ("author", _author),
    ("publisher", _publisher),
    ("year", _year),
    ("pages", _pages),
    ("series", _series),
    ("kind", _kind),
    ("carrier", _carrier),
)
