"""The page that says why records stand together, and comparisons in words. The reasons come from
`aggregator.grouping.reasons`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Description, Gone
from aggregator.grouping.reasons import together
from aggregator.matching import JOIN
from aggregator.matching.explain import points, text, weight_text
from aggregator.matching.reasons import Step, Way
from aggregator.views.public.books import absent, gone_page
from harvesting.models import SourceRecord

LITTLE = 0.5  # points: a weight that settles nothing

type Known = Mapping[str, Description]  # by public id


@dataclass(frozen=True, slots=True)
class Line:
    """One finding as a sentence. tone: "for", "against", "little", "forbids" or "ruled"."""

    text: str
    weight: str
    tone: str


@dataclass(frozen=True, slots=True)
class Told:
    """Two records beside each other, in words. total, missing: as people read them; missing "" where nothing is."""

    first: Description
    second: Description
    lines: tuple[Line, ...]
    total: str
    missing: str
    joins: bool
    weakest: bool = False

    @property
    def vetoes(self) -> tuple[Line, ...]:
        return tuple(each for each in self.lines if each.tone == "forbids")

    @property
    def ruled(self) -> bool:
        return any(each.tone == "ruled" for each in self.lines)


@dataclass(frozen=True, slots=True)
class Companion:
    """Another record of the group, and how it hangs together with the one that is looked at."""

    description: Description
    direct: Told
    steps: tuple[Told, ...]

    @property
    def indirect(self) -> bool:
        return len(self.steps) > 1


@require_safe
def why(request: HttpRequest, public_id: str) -> HttpResponse:
    """How the records of one book hang together, each with the path and its weakest link."""
    try:
        book = catalogue.find_book(public_id)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    except Gone as gone:
        return gone_page(request, gone)
    found = together(book, public_id)
    known = {each.public_id: each for each in book.descriptions}
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
    steps = tuple(told(each, known, weakest=way.indirect and each is way.weakest) for each in way.steps)
    return Companion(known[way.to], told(way.direct, known), steps)


def told(step: Step, known: Known, *, weakest: bool = False) -> Told:
    """A comparison in the language of the page."""
    language = get_language() or ""
    lines = tuple(
        Line(text(each, language), weight_text(each, language), _tone(each.rule, each.weight, each.vetoes))
        for each in step.evidence
    )
    missing = f"{step.missing:.1f}" if step.missing else ""
    return Told(known[step.first], known[step.second], lines, points(step.score), missing, step.joins, weakest)


def _tone(rule: str, weight: float, vetoes: bool) -> str:
    if rule == "staff":
        return "ruled"
    if vetoes:
        return "forbids"
    return "little" if abs(weight) < LITTLE else "for" if weight > 0 else "against"
