"""A letter to a provider: what is found about its records, in plain words with what to do. No HTTP.

Only what is to be mended at the source: errors and warnings that nobody ignores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils import formats
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from harvesting.issues import counts as stock
from harvesting.issues.by_rule import examples_of, share
from harvesting.issues.excerpts import visible
from harvesting.issues.wording import Told, told_of_rule
from harvesting.models import IssueCount, RecordIssue, Repository

LANGUAGES = ("ja", "en")
MOST_RULES = 60  # of a letter; nobody reads more at once
EXAMPLES = 3
LONGEST = 200  # characters of an identifier or a value


@dataclass(frozen=True, slots=True)
class Example:
    """A record by its provider's identifier, and the value at fault; each in one line."""

    identifier: str
    value: str


@dataclass(frozen=True, slots=True)
class Matter:
    """One thing to mend. records: how many have it."""

    told: Told
    records: int
    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Letter:
    """What a letter says. left_out: rules that are not in it."""

    repository: Repository
    stock: IssueCount
    matters: Sequence[Matter]
    left_out: int

    @property
    def share(self) -> float:
        return share(self.stock.faulty, self.stock.records)

    @property
    def summary(self) -> str:
        """How much is at fault, in a sentence or two, in the language that is active."""
        values = {
            "all": f"{self.stock.records:,}",
            "faulty": f"{self.stock.faulty:,}",
            "share": formats.localize(round(self.share, 1)),
        }
        if not self.matters:
            return _("Of %(all)s records none has anything that has to be mended. Thank you.") % values
        return (
            _(
                "Of %(all)s records, %(faulty)s (%(share)s %%) have something that should be mended in your system. "
                "The list says what, why, and what to do, the gravest first."
            )
            % values
        )

    @property
    def rest(self) -> str:
        """That there is more, "" where there is not."""
        text = ngettext(
            "%(number)s more rule is not listed here.", "%(number)s more rules are not listed here.", self.left_out
        )
        return text % {"number": self.left_out} if self.left_out else ""


def letter(repository: Repository, language: str) -> Letter | None:
    """The letter about what stands now; None while nothing was counted."""
    found = stock.latest([repository.pk]).get(repository.pk)
    if found is None:
        return None
    let_be = set(stock.ignored_rules(repository.pk))
    rules = [each for each in stock.rules(found) if each.is_fault and each.code not in let_be]
    told = rules[:MOST_RULES]
    with override(language):
        examples = examples_of(repository.pk, [each.code for each in told])
        matters = [
            Matter(
                told_of_rule(each.code, each.severity, language),
                each.records,
                [_example(row) for row in examples[each.code][:EXAMPLES]],
            )
            for each in told
        ]
    return Letter(repository, found, matters, len(rules) - len(told))


def as_text(written: Letter, language: str, page: str) -> str:
    """The same for a mail: plain text. page: the address of the provider's public page."""
    with override(language):
        return "\n".join(_lines(written, page)) + "\n"


def _lines(written: Letter, page: str) -> Iterator[str]:
    number, name = written.repository.number, written.repository.label
    yield date_format(localtime(written.stock.taken_at), "DATE_FORMAT")
    yield _("To those in charge of %(name)s") % {"name": name}
    yield ""
    yield _("Findings about the records of %(number)s") % {"number": number}
    yield ""
    yield _("Thank you for providing your records. We harvest and check them regularly.")
    yield written.summary
    for place, each in enumerate(written.matters, 1):
        count = ngettext("%(shown)s record", "%(shown)s records", each.records) % {"shown": f"{each.records:,}"}
        yield ""
        yield f"{place}. {each.told.severity_word} {each.told.code} · {count}"
        yield f"   {each.told.sentence}"
        if each.told.remedy:
            yield f"   {_('What to do')}: {each.told.remedy}"
        yield from (f"   - {one.identifier}  {one.value}".rstrip() for one in each.examples)
    yield ""
    if written.left_out:
        yield written.rest
    yield f"{_('The current findings, with every rule explained, are always here:')} {page}"
    yield _(
        "Once the records are mended, nothing more is needed: the next harvest brings them, and the findings go by "
        "themselves."
    )


def _example(row: RecordIssue) -> Example:
    return Example(_in_one_line(row.source_record.identifier), _in_one_line(row.value))


def _in_one_line(text: str) -> str:
    """Nothing that a provider sends may look like a line of ours."""
    line = " ".join(visible(text[: 2 * LONGEST]).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
