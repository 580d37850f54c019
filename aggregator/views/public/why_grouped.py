"""The page that explains why records are grouped, and comparisons in words.

The reasons come from `aggregator.grouping.reasons`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Description, Gone
from aggregator.grouping.reasons import explain_group
from aggregator.matching import JOIN
from aggregator.matching.explain import points, text, weight_text
from aggregator.matching.reasons import Step, Way
from aggregator.views.public.books import absent, gone_page
from harvesting.models import SourceRecord

LITTLE = 0.5  # points; a smaller weight decides nothing

type Known = Mapping[str, Description]  # by public id


@dataclass(frozen=True, slots=True)
class Line:
    """One piece of evidence as a sentence. tone: "for", "against", "little", "forbids" or "ruled"."""

    text: str
    weight: str
    tone: str


@dataclass(frozen=True, slots=True)
class ComparisonText:
    """The comparison of two records in words. total, missing: points as text; missing is "" if nothing is missing."""

    first: Description
    second: Description
    lines: tuple[Line, ...]
    total: str
    missing: str
    joins: bool
    weakest: bool = False

    @property
    def vetoes(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.tone == "forbids")

    @property
    def ruled(self) -> bool:
        return any(line.tone == "ruled" for line in self.lines)


@dataclass(frozen=True, slots=True)
class Companion:
    """Another record of the group, and how it is connected with the record of the page."""

    description: Description
    direct: ComparisonText
    steps: tuple[ComparisonText, ...]

    @property
    def indirect(self) -> bool:
        return len(self.steps) > 1


@require_safe
def why(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show how the records of one book are connected, with the path of each and its weakest link."""
    try:
        book = catalogue.find_book(public_id)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    except Gone as gone:
        return gone_page(request, gone)
    found = explain_group(book, public_id)
    known = {description.public_id: description for description in book.descriptions}
    context = {
        "book": book,
        "record": book.record,
        "public_id": public_id,
        "start": found.start,
        "companions": [companion(way, known) for way in found.others],
        "left_out": found.left_out,
        "join": points(JOIN),
    }
    return render(request, "books/why.html", context)


def companion(way: Way, known: Known) -> Companion:
    """Return a record of the group with its way to the record of the page, in words."""
    steps = tuple(comparison_text(step, known, weakest=way.indirect and step is way.weakest) for step in way.steps)
    return Companion(known[way.to], comparison_text(way.direct, known), steps)


def comparison_text(step: Step, known: Known, *, weakest: bool = False) -> ComparisonText:
    """Return a comparison in the language of the page."""
    language = get_language() or ""
    lines = tuple(
        Line(
            text(evidence, language),
            weight_text(evidence, language),
            _tone(evidence.rule, evidence.weight, evidence.vetoes),
        )
        for evidence in step.evidence
    )
    missing = f"{step.missing:.1f}" if step.missing else ""
    return ComparisonText(
        known[step.first], known[step.second], lines, points(step.score), missing, step.joins, weakest
    )


def _tone(rule: str, weight: float, vetoes: bool) -> str:
    if rule == "staff":
        return "ruled"
    if vetoes:
        return "forbids"
    return "little" if abs(weight) < LITTLE else "for" if weight > 0 else "against"
