"""The findings about one provider's records by rule, as a page shows them: counts, share, trend, examples. No HTTP.

Counts are those of the newest stock; examples are looked up now, three of each rule, in one query.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.db import connection

from core.database.batches import chunks
from harvesting.issues import counts as stock
from harvesting.issues.counts import Rule
from harvesting.issues.wording import Told, told, told_of_rule
from harvesting.models import IssueCount, RecordIssue, Repository

EXAMPLES = 3
STOCKS = 12  # of the trend
AT_ONCE = 200  # rules of one query: SQLite joins at most 500 selects


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One rule. records: how many have it; share: of all, in per cent; trend: of earlier stocks, the oldest first."""

    rule: Rule
    told: Told
    share: float
    trend: tuple[int, ...] = ()
    examples: list[Told] = field(default_factory=list)
    ignored: bool = False

    @property
    def change(self) -> int | None:
        """Against the stock before; None where there was none."""
        return self.trend[-1] - self.trend[-2] if len(self.trend) > 1 else None

    @property
    def bars(self) -> list[tuple[int, int, int]]:
        """The trend as bars in a box of 20: left, top, height."""
        most = max(self.trend, default=0) or 1
        heights = [round(18 * each / most) + 2 for each in self.trend]
        return [(10 * place + 1, 20 - height, height) for place, height in enumerate(heights)]


@dataclass(frozen=True, slots=True)
class Overview:
    """All groups of one provider, and the stock behind them (None: nothing was counted yet). before: the one before."""

    stock: IssueCount | None
    before: IssueCount | None
    groups: Sequence[Group]

    @property
    def share(self) -> float:
        return share(self.stock.faulty, self.stock.records) if self.stock else 0.0

    @property
    def change(self) -> int | None:
        return self.stock.faulty - self.before.faulty if self.stock and self.before else None


def overview(repository: Repository) -> Overview:
    """How a provider's records stand. A fixed number of queries."""
    stocks = list(IssueCount.objects.filter(repository=repository)[:STOCKS])
    if not stocks:
        return Overview(None, None, ())
    let_be = set(stock.ignored_rules(repository.pk))
    history = _history(stocks)
    rules = list(stock.rules(stocks[0]))
    examples = examples_of(repository.pk, [each.code for each in rules])
    groups = [
        Group(
            rule=each,
            told=told_of_rule(each.code, each.severity),
            share=share(each.records, stocks[0].records),
            trend=tuple(history[each.code]),
            examples=told(row for row in examples[each.code] if row.severity == each.severity),
            ignored=each.code in let_be,
        )
        for each in rules
    ]
    return Overview(stocks[0], stocks[1] if len(stocks) > 1 else None, groups)


def share(part: int, whole: int) -> float:
    """In per cent; of nothing it is nothing."""
    return 100 * part / whole if whole else 0.0


def examples_of(repository: int, codes: Sequence[str]) -> defaultdict[str, list[RecordIssue]]:
    """Code -> some findings that nobody ignores one by one."""
    pks = [pk for some in chunks(codes, AT_ONCE) for pk in _firsts(repository, some)]
    found: defaultdict[str, list[RecordIssue]] = defaultdict(list)
    rows = RecordIssue.objects.filter(pk__in=pks).select_related("source_record").order_by("pk")
    for row in rows.defer("source_record__payload", "source_record__record", "source_record__rejected_payload"):
        found[row.code].append(row)
    return found


def _firsts(repository: int, codes: Sequence[str]) -> Iterator[int]:
    """The numbers of the first findings of each rule: one short walk along an index for each."""
    table = connection.ops.quote_name(RecordIssue._meta.db_table)
    one = (
        f"SELECT id FROM (SELECT id FROM {table} WHERE repository_id = %s AND code = %s "  # noqa: S608 names only
        f"AND ignored_id IS NULL ORDER BY id LIMIT {EXAMPLES}) AS firsts"
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join([one] * len(codes)), [each for code in codes for each in (repository, code)])
        yield from (pk for (pk,) in cursor.fetchall())


def _history(stocks: Sequence[IssueCount]) -> defaultdict[str, list[int]]:
    """Code -> how many records had it, the oldest stock first."""
    history: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(stocks))
    for place, each in enumerate(reversed(stocks)):
        for rule in stock.rules(each):
            history[rule.code][place] += rule.records
    return history
