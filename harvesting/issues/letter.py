"""The letter to a provider (提供元への連絡文): the issues of its records in plain words, with what to do. No HTTP.

It only names what must be corrected at the source: errors and warnings that are not ignored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import formats, timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from harvesting.issues import counts
from harvesting.issues.by_rule import examples_of
from harvesting.issues.excerpts import show_invisible
from harvesting.issues.tiers import Quality, quality_of
from harvesting.issues.wording import IssueWording, word_rule
from harvesting.models import DailyCount, IssueCount, RecordIssue, Repository

MOST_RULES = 60  # in one letter; nobody would read more
EXAMPLES = 3  # per rule
LONGEST = 200  # characters that are shown of an identifier or a value


@dataclass(frozen=True, slots=True)
class Example:
    """A record, by the provider's identifier, and the value that is wrong; both on a single line."""

    identifier: str
    value: str


@dataclass(frozen=True, slots=True)
class LetterItem:
    """One rule that records violate. records: how many do."""

    wording: IssueWording
    records: int
    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Letter:
    """The contents of a letter. issue_count: what it is based on. left_out: how many rules it does not mention.

    quality: the tier, only in the yearly letter. year_ago: the daily count of a year ago, or the first after it.
    """

    repository: Repository
    issue_count: IssueCount
    matters: Sequence[LetterItem]
    left_out: int
    quality: Quality | None = None
    year_ago: DailyCount | None = None

    @property
    def summary(self) -> str:
        """One or two sentences in the active language that say how many records have issues."""
        values = {
            "all": f"{self.issue_count.checked:,}",
            "faulty": f"{self.issue_count.faulty:,}",
            "share": formats.localize(round(self.issue_count.share, 1)),
        }
        if not self.matters:
            return _("None of the %(all)s records needs correction. Thank you.") % values
        return (
            _(
                "Of %(all)s records, %(faulty)s (%(share)s%%) need correction in your system. The list "
                "below says what is wrong, why, and what to do, starting with the most serious."
            )
            % values
        )

    @property
    def development(self) -> Sequence[str]:
        """The sentences of the yearly letter about the tier and the year; none in other letters."""
        if self.quality is None:
            return ()
        facts = {"tier": self.quality.tier, "better": self.quality.better, "number": f"{self.quality.to_mend:,}"}
        said = [_("The quality of your records is %(tier)s (A is the best, C the lowest).") % facts]
        if self.quality.better:
            said.append(_("It becomes %(better)s when %(number)s more records are corrected.") % facts)
        if self.year_ago is not None:
            said.append(
                _("On %(day)s, %(before)s%% of %(records)s records had errors or warnings; now it is %(now)s%%.")
                % {
                    "day": date_format(self.year_ago.day, "DATE_FORMAT"),
                    "before": formats.localize(round(100 * (self.year_ago.share or 0.0), 1)),
                    "records": f"{self.year_ago.checked:,}",
                    "now": formats.localize(round(self.issue_count.share, 1)),
                }
            )
        return said

    @property
    def rest(self) -> str:
        """A sentence that says how many more rules there are, "" if there are none."""
        text = ngettext(
            "%(number)s more rule is not listed here.", "%(number)s more rules are not listed here.", self.left_out
        )
        return text % {"number": self.left_out} if self.left_out else ""


def letter(repository: Repository, language: str, code: str = "", yearly: bool = False) -> Letter | None:
    """The letter about a repository's current issues; None if they have not been counted yet.

    code: the only rule that it is about; "" for all. yearly: with the tier and the development of a year, and only the
    rules that would lift the tier most.
    """
    stored_count = counts.latest_counts([repository.pk]).get(repository.pk)
    if stored_count is None:
        return None
    ignored = set(counts.ignored_rules(repository.pk))
    rules = [rule for rule in counts.rule_counts(stored_count) if rule.is_error_or_warning and rule.code not in ignored]
    rules = [rule for rule in rules if code in ("", rule.code)]
    quality = quality_of(stored_count, ignored) if yearly else None
    listed = list(quality.rules) if quality else rules[:MOST_RULES]
    with override(language):
        examples = examples_of(repository.pk, [rule.code for rule in listed])
        matters = [
            LetterItem(
                word_rule(rule.code, rule.severity, language),
                rule.records,
                [_example(row) for row in examples[rule.code][:EXAMPLES]],
            )
            for rule in listed
        ]
    year_ago = _year_ago(repository) if yearly else None
    return Letter(repository, stored_count, matters, len(rules) - len(listed), quality, year_ago)


def _year_ago(repository: Repository) -> DailyCount | None:
    """The count of a year ago: the last before that day, else the first after it; None if there is no earlier one."""
    day = timezone.localdate() - timedelta(days=365)
    rows = DailyCount.objects.filter(repository=repository, day__lt=timezone.localdate())
    return rows.filter(day__lte=day).order_by("-day").first() or rows.order_by("day").first()


def as_text(content: Letter, language: str, page: str) -> str:
    """The letter as plain text for an e-mail. page: the address of the provider's public page."""
    with override(language):
        return "\n".join(_lines(content, page)) + "\n"


def _lines(content: Letter, page: str) -> Iterator[str]:
    number, name = content.repository.number, content.repository.label
    yield date_format(localtime(content.issue_count.taken_at), "DATE_FORMAT")
    yield _("To the staff in charge of %(name)s") % {"name": name}
    yield ""
    yield _("Issues in the records of %(number)s") % {"number": number}
    yield ""
    yield _("Thank you for providing your records. We harvest and check them regularly.")
    yield content.summary
    yield from content.development
    for position, item in enumerate(content.matters, 1):
        count = ngettext("%(shown)s record", "%(shown)s records", item.records) % {"shown": f"{item.records:,}"}
        yield ""
        yield f"{position}. {item.wording.severity_word} {item.wording.code} · {count}"
        yield f"   {item.wording.sentence}"
        if item.wording.remedy:
            yield f"   {_('What to do')}: {item.wording.remedy}"
        yield from (f"   - {example.identifier}  {example.value}".rstrip() for example in item.examples)
    yield ""
    if content.left_out:
        yield content.rest
    yield f"{_('The current issues, with every rule explained, are always available here:')} {page}"
    yield _(
        "Once the records are corrected, nothing more is needed: the next harvest fetches them, "
        "and the issues are resolved automatically."
    )


def _example(row: RecordIssue) -> Example:
    return Example(_in_one_line(row.source_record.identifier), _in_one_line(row.value))


def _in_one_line(text: str) -> str:
    """The text shortened to a single line, so that nothing a provider sends can look like a line of the letter."""
    line = " ".join(show_invisible(text[: 2 * LONGEST]).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
