"""Compare two feature rows field by field: discrete outcomes with weights that are summed up. The thresholds are in
`decide`.

Symmetrical: compare(a, b) == compare(b, a). A missing value is unknown and gives no evidence, except a volume or an
edition that only one side states. A veto is an outcome that no sum of weights can outweigh.
"""

from collections.abc import Collection, Mapping

from aggregator.matching.comparison.extents import carrier_outcome, length_outcome, pages_outcome, size_outcome
from aggregator.matching.comparison.names import author_outcome, publisher_outcome
from aggregator.matching.comparison.titles import is_short, title_outcome
from aggregator.matching.comparison.volumes import volume_of_part, volume_outcome
from aggregator.matching.comparison.weights import LIMITS, MODEL, VETO, Evidence
from aggregator.matching.features.row import Features

RuleOutcome = tuple[str, str]  # rule, outcome

# Outcomes that no sum of weights can outweigh. All other weights are learned (model.json).
VETOES: dict[RuleOutcome, float] = dict.fromkeys(
    (
        ("issn", "different"),
        ("title", "supplement"),
        ("title", "unrelated"),
        ("volume", "different"),
        ("volume", "set_against_volume"),
        ("edition", "different"),
        ("kind", "different"),
        ("carrier", "different"),
    ),
    VETO,
)
EVIDENCE = MODEL.evidence_by_outcome(VETOES)
NO_SUSPECTS: Mapping[str, str] = {}
WEIGHTS = {outcome: evidence.weight for outcome, evidence in EVIDENCE.items()}


def compare(
    a: Features,
    b: Features,
    suspect: Mapping[str, str] = NO_SUSPECTS,
    evidence_of: Mapping[RuleOutcome, Evidence] = EVIDENCE,
) -> tuple[Evidence, ...]:
    """Return the evidence, in the order of the rules. suspect: ISBNs on several books (see
    `groups.suspects.suspect_isbns`).
    """
    return _weigh(outcomes(a, b, suspect), evidence_of)


def _weigh(found: list[RuleOutcome], evidence_of: Mapping[RuleOutcome, Evidence]) -> tuple[Evidence, ...]:
    """The evidence of the outcomes. Where a limit applies, the excess of the sum over it is subtracted."""
    evidence = [evidence_of[outcome] for outcome in found if outcome not in LIMITS.values()]
    reached = {LIMITS[outcome] for outcome in found if outcome in LIMITS}
    for limit in sorted(reached, key=lambda limit: evidence_of[limit].weight):
        excess = sum([item.weight for item in evidence]) - evidence_of[limit].weight
        if excess > 0 or limit in found:
            evidence.append(Evidence(*limit, -max(0.0, round(excess, 2))))
    return tuple(evidence)


def compare_until_veto(
    a: Features, b: Features, suspect: Mapping[str, str], evidence_of: Mapping[RuleOutcome, Evidence]
) -> tuple[Evidence, ...]:
    """As `compare`, but stop after a title or a volume that vetoes: enough for the score, and most pairs end this
    way.
    """
    title = title_outcome(a, b)
    last = evidence_of["title", title]
    if last.weight <= VETO:
        return (last,)
    isbn = _isbn(a, b, suspect)
    volume = _volume(a, b, isbn, title)
    if volume:
        last = evidence_of["volume", volume]
        if last.weight <= VETO:
            return (last,)
    return _weigh(_all_outcomes(a, b, isbn, title, volume), evidence_of)


def outcomes(a: Features, b: Features, suspect: Mapping[str, str] = NO_SUSPECTS) -> list[RuleOutcome]:
    """The outcomes of the rules, without weights."""
    isbn, title = _isbn(a, b, suspect), title_outcome(a, b)
    return _all_outcomes(a, b, isbn, title, _volume(a, b, isbn, title))


def _volume(a: Features, b: Features, isbn: str, title: str) -> str:
    return volume_of_part(a, b) if title == "part" else volume_outcome(a, b, isbn)


def _all_outcomes(a: Features, b: Features, isbn: str, title: str, volume: str) -> list[RuleOutcome]:
    """The outcomes of all rules, and whether enough supports the title. isbn, title, volume: outcomes already
    computed.
    """
    result = [("isbn", isbn), ("title", title)] if isbn else [("title", title)]
    if volume:
        result.append(("volume", volume))
    for rule, rule_outcome in _RULES:
        outcome = rule_outcome(a, b)
        if outcome:
            result.append((rule, outcome))
    shared_isbn = isbn in _IDENTIFYING
    context = (
        ("edition", _edition(a, b, shared_isbn)),
        ("pages", pages_outcome(a, b, title)),
        ("carrier", carrier_outcome(a, b, shared_isbn)),
    )
    result += [found for found in context if found[1]]
    if _MUCH_LATER in result and _ELSEWHERE in result:
        result.append(("reprint", "elsewhere"))
    support = _support(a, b, result, isbn, title)
    return [*result, ("support", support)] if support else result


def _support(a: Features, b: Features, agreements: list[RuleOutcome], isbn: str, title: str) -> str:
    """How much agrees besides the title; "" if enough does."""
    support = len(_SUPPORTS.intersection(agreements))
    if title == "unreadable":  # an ISBN alone is not enough here, and without an ISBN nothing is
        support = support - 1 if isbn in _IDENTIFYING else 0
    if support > 1:
        return ""
    if not support and title in _TITLE_AGREES and not is_short(a.title) and (_has_only_title(a) or _has_only_title(b)):
        return "title_only"
    short = is_short(a.full) and is_short(b.full) and ("volume", "same") not in agreements
    if support == 1 and short and isbn not in _IDENTIFYING:
        support = 0
    return "one" if support == 1 else "none"


# A book reissued by another publisher after more than _REISSUE years is usually a facsimile: title, author and pages
# agree.
_MUCH_LATER, _ELSEWHERE = ("year", "very_far"), ("publisher", "different")
_TITLE_AGREES = ("same", "core", "subtitle_differs", "reordered")


def _has_only_title(row: Features) -> bool:
    return not (row.persons or row.publishers or row.year or row.pages or row.isbns or row.issns or row.ids)


_IDENTIFYING = ("same", "one_of", "list", "listed", "listed_one_of")
# A title alone is not enough: these outcomes tell apart two books with the same title.
_SUPPORTS = frozenset(
    {
        ("isbn", "same"),
        ("isbn", "list"),
        ("isbn", "listed"),
        ("isbn", "listed_one_of"),
        ("isbn", "one_of"),
        ("isbn", "suspect"),
        ("isbn", "suspect_one_of"),
        ("issn", "same"),
        ("number", "same"),
        ("author", "same"),
        ("author", "similar"),
        ("author", "romanised"),
        ("publisher", "same"),
        ("year", "month"),
        ("year", "same"),
        ("year", "near"),
        ("pages", "same"),
        ("pages", "common"),
        ("pages", "near"),
        ("pages", "close"),
    }
)


def _isbn(a: Features, b: Features, suspect: Mapping[str, str]) -> str:
    if not a.isbns or not b.isbns:
        return ""
    if a.isbns == b.isbns:
        if len(a.isbns) == 1:
            return _standing(a.isbns[0], a, b, suspect)
        common: Collection[str] = a.isbns
    else:
        common = set(a.isbns).intersection(b.isbns)
        if not common:
            return _different_isbns(a, b)
    standings = {_standing(isbn, a, b, suspect) for isbn in common}
    if len(a.isbns) == len(b.isbns) == len(common):
        return (
            "list" if len(common) > 1 and standings != {"same"} else "same" if "same" in standings else min(standings)
        )
    return "one_of" if "same" in standings else f"{min(standings)}_one_of"


OF_VOLUME = "of "  # begins the reason of an ISBN that records of other volumes bear by mistake; the volume follows


def _standing(isbn: str, a: Features, b: Features, suspect: Mapping[str, str]) -> str:
    """What an ISBN that both bear counts as: "same", or "suspect" or "listed" (see `groups.suspects.suspect_isbns`).

    An ISBN that belongs to one volume and is borne by others by mistake is suspect only if one of the two states
    another volume.
    """
    standing = suspect.get(isbn, "same")
    if not standing.startswith(OF_VOLUME):
        return standing
    stated = {row.volume for row in (a, b) if not row.parts}  # with parts, the volume is that of the series
    volumes = stated - {"", standing[len(OF_VOLUME) :]}
    return "suspect" if volumes else "same"


def _different_isbns(a: Features, b: Features) -> str:
    if a.is_set or b.is_set or a.volume != b.volume:
        return "different_volume"
    return "different_one_volume" if a.volume else "different"


def _set_isbn(a: Features, b: Features) -> str:
    return "same" if a.set_isbns and not set(a.set_isbns).isdisjoint(b.set_isbns) else ""


def _issn(a: Features, b: Features) -> str:
    if not a.issns or not b.issns:
        return ""
    return "different" if set(a.issns).isdisjoint(b.issns) else "same"


def _number(a: Features, b: Features) -> str:
    if not a.ids or not b.ids:
        return ""
    if a.ids == b.ids or not set(a.ids).isdisjoint(b.ids):
        return "same"
    schemes = {identifier.partition(":")[0] for identifier in a.ids}
    common = [scheme for identifier in b.ids if (scheme := identifier.partition(":")[0]) in schemes]
    return "different_jpno" if "JPNO" in common else "different" if common else ""


def _edition(a: Features, b: Features, shared_isbn: bool) -> str:
    outcome = _edition_statements(a, b)
    return f"{outcome}_isbn" if shared_isbn and outcome in _ON_ONE_SIDE else outcome


def _edition_statements(a: Features, b: Features) -> str:
    if a.edition == b.edition:
        return "same" if a.edition else ""
    numbers = _edition_number(a.edition), _edition_number(b.edition)
    if all(numbers):
        return _numbered_editions(a.edition, b.edition)
    if a.edition and b.edition:
        return "unclear"
    return (
        "" if "1" in (a.edition, b.edition) else _edition_on_one_side(a.year, b.year)
    )  # a first edition need not be stated


def _numbered_editions(one: str, other: str) -> str:
    if _edition_number(one) == _edition_number(other):
        return "same"
    return "different" if _counts_anew(one) == _counts_anew(other) else "unclear"


def _edition_on_one_side(year: int, other: int) -> str:
    if not year or not other:
        return "one_side_undated"
    return "one_side" if year == other else "one_side_later"


_ON_ONE_SIDE = ("one_side_undated", "one_side", "one_side_later")
_KIND_LETTERS = "aflnor"


def _counts_anew(edition: str) -> bool:
    """Whether the numbering starts again for this kind of edition: "1st rev. ed." may be the third edition."""
    return edition[-1] == "1" and edition[-2:-1] in tuple(_KIND_LETTERS)


def _edition_number(edition: str) -> str:
    return edition.lstrip(_KIND_LETTERS)


_REISSUE = 15  # years; a book printed again after more is newly typeset


def _year(a: Features, b: Features) -> str:
    if not a.year or not b.year:
        return ""
    if (a.year, a.month) == (b.year, b.month) or a.year == b.year and not (a.month and b.month):
        return "month" if a.month and b.month else "same"
    if (a if (a.year, a.month) > (b.year, b.month) else b).reprinted:
        return "reprinted"
    if a.year == b.year:
        return "next_month" if abs(a.month - b.month) == 1 else "other_month"
    return _far_years(a, b, abs(a.year - b.year))


def _far_years(a: Features, b: Features, distance: int) -> str:
    if distance == 1:
        return "near"
    if distance > _REISSUE:
        return "very_far"
    if a.isbns and b.isbns and not set(a.isbns).isdisjoint(b.isbns):
        return "printing"  # the same ISBN: most likely a later printing
    return "far_months" if a.month and b.month else "far"


def _kind(a: Features, b: Features) -> str:
    return "different" if a.kind and b.kind and a.kind != b.kind else ""


def _series(a: Features, b: Features) -> str:
    """Return "same" where both have the same series and number, "different" where the numbers in one series differ."""
    if not a.series or not b.series:
        return ""
    if a.series == b.series or not set(a.series).isdisjoint(b.series):
        return "same"
    one, other = ([entry.split("#", 1) for entry in row.series] for row in (a, b))
    numbers = [(number, its) for title, number in one for of, its in other if title == of]
    return "different" if any(number and its for number, its in numbers) else ""


def _volume_title(a: Features, b: Features) -> str:
    """The volume titles of two records that are both entered under their series or set."""
    if not a.parts or not b.parts:
        return ""
    return "different" if set(a.parts).isdisjoint(b.parts) else "same"


_RULES = (
    ("set_isbn", _set_isbn),
    ("volume_title", _volume_title),
    ("issn", _issn),
    ("number", _number),
    ("author", author_outcome),
    ("publisher", publisher_outcome),
    ("year", _year),
    ("size", size_outcome),
    ("length", length_outcome),
    ("series", _series),
    ("kind", _kind),
)
