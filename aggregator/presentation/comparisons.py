"""The comparison of two records in plain words: what speaks for the same book, what against it, and how likely it is.

Readers see no weights. Staff may open them: see `Comparison.points`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from aggregator.catalogue.books import Description
from aggregator.matching import JOIN
from aggregator.matching.comparison.decide import stated_probability
from aggregator.matching.explain import points, text, weight_text
from aggregator.matching.reasons import Step, Way
from aggregator.matching.signs import Side, Sign, Strength, signs

type Known = Mapping[str, Description]  # by public id

HIGH, LOW = 0.99, 0.01  # beyond these a percentage would claim more than the weights know

STRENGTHS = {
    Strength.DECISIVE: gettext_lazy("decisive"),
    Strength.STRONG: gettext_lazy("strong sign"),
    Strength.WEAK: gettext_lazy("weak sign"),
    Strength.NONE: "",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A sign as a sentence. kind: its `Strength`, for the stylesheet; strength: the word for it; weight: for staff."""

    text: str
    kind: str
    strength: str
    weight: str


@dataclass(frozen=True, slots=True)
class Points:
    """The weights behind a comparison, for staff. join: the total that a match needs; missing: how much is missing."""

    lines: tuple[Line, ...]
    total: str
    join: str
    missing: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two records compared. same, different, neither: the signs by what they speak for, the strongest first.

    likelihood: a sentence; "" where staff decided. weakest: whether this is the weakest link of a path.
    """

    first: Description
    second: Description
    same: tuple[Line, ...]
    different: tuple[Line, ...]
    neither: tuple[Line, ...]
    likelihood: str
    points: Points
    joins: bool
    weakest: bool = False

    @property
    def vetoes(self) -> tuple[Line, ...]:
        """The decisive signs of different books."""
        return tuple(line for line in self.different if line.kind == Strength.DECISIVE)


@dataclass(frozen=True, slots=True)
class Companion:
    """Another record of the group, and how it is connected with the record of the page."""

    description: Description
    direct: Comparison
    steps: tuple[Comparison, ...]

    @property
    def indirect(self) -> bool:
        return len(self.steps) > 1


def companion(way: Way, known: Known) -> Companion:
    """Return a record of the group with its way to the record of the page, in words."""
    steps = tuple(compared(step, known, weakest=way.indirect and step is way.weakest) for step in way.steps)
    return Companion(known[way.to], compared(way.direct, known), steps)


def compared(step: Step, known: Known, *, weakest: bool = False) -> Comparison:
    """Return a comparison in the language of the page."""
    found = signs(step.evidence)
    same, different, neither = (_lines(found, side) for side in Side)
    is_ruled = any(item.rule == "staff" for item in step.evidence)
    return Comparison(
        known[step.first],
        known[step.second],
        same,
        different,
        neither,
        "" if is_ruled else likelihood(step.score),
        _points(step, found),
        step.joins,
        weakest and not is_ruled,
    )


def likelihood(score: float) -> str:
    """Return how likely two records with this score are the same book. Never 0% or 100%: the weights may be wrong."""
    chance = stated_probability(score)
    if chance >= HIGH:
        return _("99% or more likely to be the same book")
    if chance < LOW:
        return _("less than 1% likely to be the same book")
    return _("about %(percent)d%% likely to be the same book") % {"percent": round(chance * 100)}


def strongest_difference(step: Step) -> str:
    """Return the strongest sign that two records are different books, as a sentence; "" if there is none."""
    against = [sign.evidence for sign in signs(step.evidence) if sign.side is Side.DIFFERENT]
    return text(against[0], get_language() or "") if against else ""


def _lines(found: Iterable[Sign], side: Side) -> tuple[Line, ...]:
    return tuple(_line(sign) for sign in found if sign.side is side)


def _line(sign: Sign) -> Line:
    language = get_language() or ""
    words, weight = text(sign.evidence, language), weight_text(sign.evidence, language)
    return Line(words, sign.strength, str(STRENGTHS[sign.strength]), weight)


def _points(step: Step, found: Iterable[Sign]) -> Points:
    total = "" if step.vetoes else points(step.score)
    missing = f"{step.missing:.1f}" if step.missing else ""
    return Points(tuple(map(_line, found)), total, points(JOIN), missing)
