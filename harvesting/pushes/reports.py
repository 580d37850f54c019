"""The report about a push, for programs: what was taken, what was not, why, what to do, in all languages. No HTTP."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.utils import translation
from django.utils.translation import gettext as _

from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.issues.wording import word_issues
from harvesting.models import Harvest, Push, RecordIssue
from harvesting.monitoring import run_summary
from harvesting.runs.results import result_of
from metadata.issue import Severity

MOST_ISSUES = 100  # in a report; all of them are on the page of the run
COUNTS = ("received", "created", "updated", "unchanged", "deleted", "rejected", "held")
# What a report lists, the gravest first.
LISTED = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)
WAITING, HELD, RUNNING = "waiting", "held", "running"

type Report = dict[str, Any]


def report_of(push: Push) -> Report:
    """The report as it is now. Until the run has ended it has no list of issues."""
    return {
        "push": push.pk,
        "provider": push.feed.repository.number,
        "content": push.content,
        "identifier": push.identifier,
        "file": push.name,
        "size": push.size,
        "sha256": bytes(push.digest).hex(),
        "received_at": push.received_at.isoformat(timespec="seconds"),
        "over": push.state == Push.State.ENDED,
        **(push.report or _state_now(push)),
    }


def result_of_push(push: Push) -> Report:
    """What is stored about a push whose run has ended."""
    run = push.harvest
    if run is None:
        return {"state": Harvest.State.CANCELLED.value, "message": in_languages(lambda: ""), "counts": {}, "issues": []}
    return {**_about(run), "issues": [_issue(*texts) for texts in _worded(_issues(push, run))]}


def _state_now(push: Push) -> Report:
    run = push.harvest
    if run is None:
        return {"state": WAITING, "message": in_languages(lambda: _("The push waits for its turn.")), "counts": {}}
    return _about(run)


def _about(run: Harvest) -> Report:
    """The state of a run, in words and numbers."""
    counts = {name: getattr(run, name) for name in COUNTS}
    counts["deleted"] += run.swept
    return {
        "harvest": run.pk,
        "state": _state(run),
        "message": in_languages(lambda: run_summary.outcome(run)),
        "accepted": run.created + run.updated + run.unchanged,
        "rejected": run.rejected,
        "counts": counts,
        "issue_counts": run.issue_counts,
    }


def _state(run: Harvest) -> str:
    if awaits_decision(run):
        return HELD
    if run.state == Harvest.State.QUEUED:
        return WAITING
    return RUNNING if run.state in Harvest.ACTIVE else result_of(run)


def is_held(push: Push) -> bool:
    """Whether a person has to decide about the push."""
    return push.harvest is not None and awaits_decision(push.harvest)


def _issues(push: Push, run: Harvest) -> QuerySet[RecordIssue]:
    """The issues of the records that the run has seen, as they are now; the gravest first."""
    rank = Case(
        *(When(severity=severity.value, then=Value(place)) for place, severity in enumerate(LISTED)),
        output_field=IntegerField(),
    )
    seen = RecordIssue.objects.filter(
        repository=push.feed.repository_id,
        source_record__last_harvest=run.pk,
        severity__in=[severity.value for severity in LISTED],
        ignored=None,
    )
    if push.identifier:
        seen = seen.filter(source_record__identifier=push.identifier)
    columns = ("code", "severity", "field", "value", "result", "source_record__identifier", "source_record__public_id")
    return seen.select_related("source_record").only(*columns).order_by(rank, "pk")[:MOST_ISSUES]


def _worded(issues: QuerySet[RecordIssue]) -> list[tuple[RecordIssue, dict[str, tuple[str, str]]]]:
    """Each issue with its sentence and its remedy by language."""
    rows = list(issues)
    texts: list[dict[str, tuple[str, str]]] = [{} for _row in rows]
    for language in languages():
        with translation.override(language):
            for text, wording in zip(texts, word_issues(rows), strict=True):
                text[language] = (wording.sentence, wording.remedy)
    return list(zip(rows, texts, strict=True))


def _issue(row: RecordIssue, texts: dict[str, tuple[str, str]]) -> Report:
    return {
        "rule": row.code,
        "severity": row.severity,
        "identifier": row.source_record.identifier,
        "record": row.source_record.public_id,
        "place": row.field,
        "value": row.value[:500],
        "message": {language: sentence for language, (sentence, _remedy) in texts.items()},
        "remedy": {language: remedy for language, (_sentence, remedy) in texts.items()},
    }


def languages() -> list[str]:
    """The languages of the site."""
    return [code for code, _name in settings.LANGUAGES]


def in_languages(text: Callable[[], str]) -> dict[str, str]:
    """A text in all languages. text: makes it in the active language."""
    texts = {}
    for language in languages():
        with translation.override(language):
            texts[language] = text()
    return texts
