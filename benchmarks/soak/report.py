"""The results of a soak test, and the report of them in Markdown."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.soak.bounds import BOUNDS, DAYS, FEEDS, RECORDS
from benchmarks.soak.measure import Sample

LEAST_ROWS = 20  # smaller tables are not listed


@dataclass(slots=True)
class Found:
    """The results of a soak test.

    wrong: violations. impatient: steps that took too long. in_trouble: providers with an outage that the test arranged;
    troubled: those with a failed run. late, excused: the longest time without a harvest, in minutes,
    of providers without and with a fault. asked: responses to readers by status. struck: number of faults.
    """

    hours: float
    providers: int
    samples: list[Sample] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    impatient: list[str] = field(default_factory=list)
    in_trouble: set[str] = field(default_factory=set)
    troubled: set[str] = field(default_factory=set)
    alarmed: dict[str, set[str]] = field(default_factory=dict)
    killed: Counter[str] = field(default_factory=Counter)
    late: dict[str, float] = field(default_factory=dict)
    excused: dict[str, float] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    seconds_of_pages: list[float] = field(default_factory=list)
    decided: int = 0
    calm_hours: int = 0
    changes: int = 0
    struck: int = 0
    steps: int = 0
    kinds: int = 0
    seconds: float = 0.0

    def note_late(self, name: str, minutes: float, excused: bool) -> None:
        seen = self.excused if excused else self.late
        seen[name] = max(minutes, seen.get(name, 0))

    def lateness(self) -> Iterator[str]:
        for name, minutes in self.late.items():
            if name not in self.troubled:
                yield f"{name} was without a harvest for {minutes:.0f} minutes, and had no fault"

    def as_dict(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in asdict(self).items()}

    def table(self) -> str:
        """Return the report in Markdown."""
        pages = self.seconds_of_pages
        answers = ", ".join(f"{count} × {code}" for code, count in sorted(self.asked.items()))
        lines = [
            f"{self.hours:g} simulated hours in {self.seconds / 60:.0f} minutes, {self.providers} providers: "
            f"{self.changes} changes, {self.struck} faults of {self.kinds} kinds in {self.steps} steps "
            f"({100 * self.struck / max(self.steps, 1):.1f} %), killed: {words(self.killed)}, "
            f"{self.decided} decisions by staff; recovered {self.calm_hours} h after the last fault.",
            f"Readers: {answers}; p95 {1000 * percentile(pages, 95):.0f} ms, "
            f"worst {1000 * percentile(pages, 100):.0f} ms.",
            self._lateness(),
            "",
            *self._sizes(),
            "",
            *[f"* took long: {sentence}" for sentence in self.impatient],
            *[f"* WRONG: {sentence}" for sentence in self.wrong],
            f"{len(self.wrong)} violations.",
        ]
        return "\n".join(lines)

    def _lateness(self) -> str:
        """Describe in a sentence how late harvests were."""
        late = max(self.excused.values(), default=0)
        healthy = f"{len(self.late)} providers" if self.late else "no provider"
        return (
            f"Harvested more than 20 minutes later than scheduled: {healthy} without a fault; the longest time without "
            f"a harvest, of those with a fault, was {late / 60:.1f} h."
        )

    def _sizes(self) -> Iterator[str]:
        chosen = self._chosen()
        yield row_of(["", *(f"{sample.hour:.0f} h" for sample in chosen), "slope per hour", "bounded by"])
        yield row_of("---" for _ in range(len(chosen) + 3))
        names = [*dict.fromkeys(name for sample in chosen for name in sample.sizes)]
        for name in names:
            yield row_of([name, *(number(sample.sizes.get(name)) for sample in chosen), self._slope("sizes", name), ""])
        tables = [name for name, rows in chosen[-1].rows.items() if rows >= LEAST_ROWS]
        for name in sorted(tables):
            yield row_of(
                [name, *(number(sample.rows.get(name)) for sample in chosen), self._slope("rows", name), bound_of(name)]
            )

    def _chosen(self) -> list[Sample]:
        """Return the samples of the beginning, the quarters of the day, the end, and a year later."""
        day = [sample for sample in self.samples if sample.hour <= self.hours + 1]
        places = sorted({0, *(len(day) * part // 4 for part in (1, 2, 3)), len(day) - 1})
        return [*(day[place] for place in places), self.samples[-1]]

    def _slope(self, kind: str, name: str) -> str:
        """Format the growth per hour in the second half of the day, by least squares."""
        day = [sample for sample in self.samples if self.hours / 2 <= sample.hour <= self.hours + 1]
        points = [(sample.hour, getattr(sample, kind)[name]) for sample in day if name in getattr(sample, kind)]
        return f"{slope(points):+.2f}" if len(points) > 1 else ""


def words(counts: Counter[str]) -> str:
    return ", ".join(f"{count} × {name}" for name, count in counts.items()) or "none"


def slope(points: list[tuple[float, float]]) -> float:
    middle = sum(x for x, _y in points) / len(points)
    level = sum(y for _x, y in points) / len(points)
    spread = sum((x - middle) ** 2 for x, _y in points)
    return sum((x - middle) * (y - level) for x, y in points) / spread if spread else 0.0


def bound_of(table: str) -> str:
    bound = BOUNDS.get(table)
    if bound is None:
        return "?"
    words = {FEEDS: "a feed", RECORDS: "a record", DAYS: "the days they are kept"}
    if bound.unit in (FEEDS, RECORDS):
        return f"{bound.rows_per_unit} {words[bound.unit]}"
    return words.get(bound.unit, bound.unit)


def percentile(values: list[float], share: int) -> float:
    return values[min(len(values) * share // 100, len(values) - 1)] if values else 0.0


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) and value % 1 else f"{value:.0f}"


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    return sorted(value) if isinstance(value, set) else value


def row_of(cells: Any) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"
