"""The questions of the matcher as staff see them: one row for all questions with the same pattern. Read-only.

A pattern is a kind of question (is a group one book, are two groups the same book) with the signs of different books.
Patterns come in the order of the holdings that are probably in the wrong place and of the readers who met these books.
Staff are asked about the first `budget` patterns; when they have answered some, the next ones move up.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, F, QuerySet, Sum
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from aggregator.matching import Evidence
from aggregator.matching.explain import text
from aggregator.matching.patterns import signs_in
from aggregator.models import ReviewPair
from aggregator.review.queue import KIND_OF, KINDS, asked, still_open
from harvesting.models import HealthStatus, Repository

MOST = 60  # patterns for every ten thousand records of the catalogue
AT_LEAST = 20  # patterns of a small catalogue
MOST_PROVIDERS = 12  # of one pattern that are always named


@dataclass(frozen=True, slots=True)
class PatternRow:
    """The questions with one pattern. kind: one of KINDS. pattern: "" for rows of an older release without one.

    holdings: records of the groups of its questions; a group with two questions counts twice. readers: how often the
    pages of these books were opened on the last day that was counted.
    """

    kind: str
    pattern: str
    questions: int
    holdings: int
    readers: int

    @property
    def words(self) -> str:
        """The pattern in the language of the page."""
        return words_of(self.pattern) if self.pattern else _("Not sorted by the signs of different books yet")


def words_of(pattern: str) -> str:
    """Return the signs of different books in a pattern, in the language of the page."""
    said = [text(Evidence(rule, outcome, 0), get_language() or "") for rule, outcome in signs_in(pattern)]
    return pgettext("between names", "; ").join(said) or _("No sign of different books, but few of the same book")


def patterns(kind: str = "") -> list[PatternRow]:
    """Return the patterns that staff are asked about, the most important first, at most `budget`.

    kind: one of KINDS, "" for all.
    """
    return _rows(asked(joined=KINDS.get(kind)), budget())


def pattern_row(kind: str, pattern: str, repository: str = "") -> PatternRow | None:
    """Return the row of one pattern; None if none of its questions waits. repository: number of a provider of one of
    the records, "" for all.
    """
    return next(iter(_rows(asked(joined=KINDS[kind], repository=repository, pattern=pattern), 1)), None)


def budget() -> int:
    """Return how many patterns staff are asked about, given the size of the catalogue as last counted."""
    records: int = HealthStatus.objects.aggregate(records=Sum("records", default=0))["records"]
    return max(AT_LEAST, records * MOST // 10_000)


def waiting() -> dict[str, int]:
    """Return how many patterns of each of KINDS staff are asked about."""
    counts = Counter(row.kind for row in patterns())
    return {kind: counts[kind] for kind in KINDS}


def providers_in(kind: str, pattern: str, named: Collection[str] = ()) -> dict[Repository, int]:
    """Return the providers of the records in the open questions of a pattern, each with the number of its questions:
    the MOST_PROVIDERS with most questions, and those of `named` (their numbers); most questions first.
    """
    pairs = still_open(asked(joined=KINDS[kind], pattern=pattern))
    counts: Counter[int] = Counter()
    sides = pairs.values_list("first__repository", "second__repository")
    for first, second, count in sides.annotate(count=Count("pk")).order_by():
        counts.update(dict.fromkeys({first, second}, count))
    wanted = {key for key, _count in counts.most_common(MOST_PROVIDERS)}
    wanted.update(Repository.objects.filter(number__in=named, pk__in=list(counts)).values_list("pk", flat=True))
    providers = Repository.objects.in_bulk(wanted)
    return {providers[key]: counts[key] for key in sorted(wanted, key=lambda key: (-counts[key], key))}


def _rows(pairs: QuerySet[ReviewPair], most: int) -> list[PatternRow]:
    sums = {
        "number": Count("pk"),
        "all_holdings": Sum("holdings", default=0),
        "all_readers": Sum("readers", default=0),
    }
    due = Sum(F("worth") + F("chance") * F("readers"))
    summed = pairs.values("joined", "pattern").annotate(**sums, due=due).order_by("-due", "joined", "pattern")
    return [
        PatternRow(KIND_OF[joined], pattern, *counted)
        for joined, pattern, *counted in summed.values_list("joined", "pattern", *sums)[:most]
    ]
