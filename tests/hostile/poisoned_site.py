"""Builds a site that has every kind of data, with a hostile text in every place."""

import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from msgspec import structs

from aggregator.alerts.letters import CONFIRM, STOP
from aggregator.browse.subject_lists import replace_list
from aggregator.models import (
    ApiKey,
    Backup,
    Erasure,
    ErrorReport,
    HubSubscription,
    MatchRuling,
    ReviewPair,
    SearchAlert,
    TakenList,
)
from aggregator.tasks import aggregate, count_all_headings, count_figures
from harvesting.issues import counts
from harvesting.mail.texts import sign_token
from harvesting.messages import message_for, messages
from harvesting.models import (
    Application,
    AuditEntry,
    BrokenPage,
    BulkAction,
    BulkChange,
    DateWindow,
    DoctoralThesis,
    DoiAgreement,
    DoiDelivery,
    DoiEvent,
    Draft,
    EnrichedRecord,
    EnrichmentRules,
    ExternalLogin,
    Feed,
    Harvest,
    HarvestEvent,
    HealthStatus,
    HeldDeletion,
    IgnoredIssue,
    Invitation,
    NotificationEvent,
    OutgoingMessage,
    PasswordRequest,
    Push,
    PushToken,
    Recheck,
    Recipient,
    RecordIssue,
    RecordVersion,
    Repository,
    RequestedDoi,
    ResolvedIssue,
    RuleSwitch,
    SelfTest,
    SourceRecord,
    Subscription,
    Suppression,
    ThesisEvent,
)
from harvesting.monitoring.health import CONDITIONS
from harvesting.records.compression import pack_payload, pack_record
from harvesting.trials.report import Report, ReportedObservation, SampledIssue, SampledRecord, pack_report
from harvesting.types import HarvestedRecord, Identity, MetadataFormat, OaiSet
from metadata.formats import FORMATS
from metadata.formats.json import read
from metadata.record import Identifier
from tests.books import BOOK
from tests.harvesting.batches import harvest_records, new_feed
from tests.hostile.poison import PLACE, Texts, hostile, hostile_record, poison_tables, poisoned
from tests.hostile.poisoned_libraries import checked, lent, upkept

ISBN = Identifier(scheme="ISBN", value="9784003101018")
STAMP = "2026-01-10T00:00:00Z"


@dataclass
class Site:
    """The data that `site_paths` needs for the addresses."""

    texts: Texts
    feeds: list[Feed] = field(default_factory=list)
    runs: list[Harvest] = field(default_factory=list)
    rows: dict[str, Any] = field(default_factory=dict)

    @property
    def numbers(self) -> list[str]:
        return [feed.repository.number for feed in self.feeds]

    @property
    def names(self) -> list[str]:
        return list(SourceRecord.objects.order_by("pk").values_list("public_id", flat=True))


def build(texts: Texts, person: User) -> Site:
    """Build the site through the real code, then put hostile texts into every column that others can fill."""
    site = Site(texts)
    harvested(site)
    found_fault_with(site, person)
    ran(site)
    joined(site, person)
    written_to(site, person)
    ruled(site, person)
    site.rows |= lent(site.texts, person)
    upkept(site.rows["lender"])
    checked(site.rows["lender"], Repository.objects.order_by("pk")[0])
    operated(site)
    poison_tables(texts)
    call_command("dump", verbosity=0)
    return site


def harvested(site: Site) -> None:
    """Harvest records of three providers, in DC-NDL and JSON, and store one as if it had never been validated."""
    for number, prefix in enumerate(("dcndl", "dcndl", "json")):
        feed = new_feed(base_url=f"https://{number}.example.jp/oai", metadata_prefix=prefix)
        Repository.objects.filter(pk=feed.repository_id).update(state="live", approved=True)
        site.feeds.append(feed)
        write = read.write if prefix == "json" else FORMATS[prefix].write
        sent = [(str(copy), write(book(site.texts, f"{number}.{copy}"))) for copy in range(2)]
        sent.append(("bad", write(structs.replace(book(site.texts, f"{number}.bad"), titles=()))))
        records = [
            HarvestedRecord(
                identifier=f"oai:x:{name}{site.texts('sent.identifier')}",
                datestamp=STAMP,
                payload=payload,
                set_specs=(site.texts("sent.set"),),
            )
            for name, payload in sent
        ]
        site.runs.append(harvest_records(feed, records))
        counts.count_issues_after(site.runs[-1])
    unchecked = SourceRecord.objects.filter(refused=False, deleted=False).order_by("pk")[0]
    unchecked.record = pack_record(book(site.texts, "unchecked"))
    unchecked.save()
    aggregate()
    replace_list("BSH", [("猫", "broader", "ペット")])
    count_all_headings()
    count_figures()


def book(texts: Texts, name: str) -> Any:
    """Return a record that matches those of other providers by its ISBN."""
    made = hostile_record(texts, material_types=(BOOK,), languages=("jpn",), issued="2001")
    return structs.replace(made, identifiers=(ISBN, *made.identifiers))


def found_fault_with(site: Site, person: User) -> None:
    now, run = timezone.now(), site.runs[0]
    source = SourceRecord.objects.filter(refused=False).order_by("pk")[0]
    code = {"repository": source.repository, "code": "dcndl.W004"}
    about = {**code, "severity": "warning", "source_record": source}
    issue = RecordIssue.objects.create(harvest=run, **about)
    ResolvedIssue.objects.create(how="mended", resolved_at=now, **about)
    version = RecordVersion.objects.create(
        record=source,
        payload=pack_payload(site.texts("version").encode()),
        metadata_prefix="dcndl",
        came_at=now,
        replaced_at=now,
    )
    for record in (None, source):
        IgnoredIssue.objects.create(record=record, **code)
    last = SourceRecord.objects.order_by("pk").last()
    Suppression.objects.create(record=last)
    SourceRecord.objects.filter(pk=last.pk).update(suppressed_at=now)
    RuleSwitch.objects.create(outcome="off", **code)
    rules = {"rules": [{"kind": "fixed", "name": "<b>", "field": "note", "value": "<i>"}]}
    EnrichmentRules.objects.create(repository=source.repository, version=1, rules=rules, in_use=True)
    EnrichedRecord.objects.create(record=source, version=1, names=[PLACE], original=source.record, changed_at=now)
    acted = {"name": person.get_username(), "person": person, "repository": source.repository}
    for state, action in (("ready", "issues.ignore"), ("done", "records.withhold")):
        bulk = BulkAction.objects.create(
            action=action,
            state=state,
            parameters={"reason": PLACE},
            matched=1,
            applicable=1,
            done=1,
            ended_at=now,
            **acted,
        )
        BulkChange.objects.create(bulk=bulk, number=source.pk, repository=source.repository)
    recheck = Recheck.objects.create(harvest=run, records=[[source.pk, 1, ""]])
    site.rows |= {"issue": issue, "version": version, "recheck": recheck, "source": source}
    ErrorReport.objects.create(public_id=source.public_id, kind="other")
    DoiAgreement.objects.create(repository=source.repository, hand_over="api")
    delivery = DoiDelivery.objects.create(
        repository=source.repository, state="failed", ended_at=now, document=pack_payload(b"<root/>")
    )
    asked = {"agency": "JaLC", "repository": source.repository, "record": source}
    doi = RequestedDoi.objects.create(doi="10.1234/5", state="refused", **asked)
    DoiEvent.objects.create(requested_doi=doi, state="refused", delivery=delivery)
    thesis = DoctoralThesis.objects.create(repository=source.repository, record=source, state="ready")
    ThesisEvent.objects.create(thesis=thesis, state="ready")


def ran(site: Site) -> None:
    """Create a run with every message that runs can have."""
    codes = [(code, facts_of(code)) for code in messages()]
    feed, now = site.feeds[0], timezone.now()
    run = Harvest.objects.create(
        feed=feed,
        kind="full",
        state="failed",
        code=codes[0][0],
        started_at=now,
        observations={code: {"count": 1, "facts": facts} for code, facts in codes},
    )
    for code, facts in codes:
        HarvestEvent.objects.create(harvest=run, at=now, state="failed", code=code, facts=facts)
    for code, facts in codes[:20]:
        site.rows["window"] = DateWindow.objects.create(
            feed=feed, harvest=run, state="gap", code=code, facts=facts, from_date="2026-01-01", until_date="2026-02-01"
        )
        ended(site, code)
    site.rows["page"] = BrokenPage.objects.create(
        harvest=run, code=codes[0][0], body=pack_payload(site.texts("page.body").encode())
    )
    HeldDeletion.objects.create(harvest=run, record=site.rows["source"], deletion="absent")
    site.runs.append(run)
    reasons = [
        [
            condition.code,
            {name: PLACE for name in condition.facts if name not in PARTS}
            | {name: PARTS[name] for name in condition.facts if name in PARTS},
        ]
        for condition in CONDITIONS
    ]
    for harvested_feed in site.feeds:
        HealthStatus.objects.update_or_create(
            repository=harvested_feed.repository,
            defaults={"colour": "red", "reasons": reasons, "since": now, "checked_at": now, "last_run": run},
        )
    Subscription.objects.create(feed=feed, state="active", callback="x" * 32)
    HubSubscription.objects.create(origin=1, asked_at=now, due=now)


def ended(site: Site, code: str) -> None:
    """Create a run that failed with this code."""
    facts = poisoned(site.texts, "Harvest.facts", facts_of(code))
    Harvest.objects.create(
        feed=site.feeds[0],
        kind="full",
        state="failed",
        code=code,
        facts=facts,
        started_at=timezone.now(),
        finished_at=timezone.now(),
    )


PARTS = {
    "reason": ["net.refused", {"url": PLACE, "reason": PLACE}],
    "unharvested": "2026-01-01T00:00:00+00:00",
    "silent": "2026-01-01T00:00:00+00:00",
}


NUMBERS: dict[str, Any] = {"done": 1, "total": 2, "count": 3}  # facts that the aggregator computes itself


class Placeholders(dict):
    """Records the placeholders of a message when it is formatted with `%`."""

    def __missing__(self, name: str) -> int:
        self[name] = 0
        return 0


def facts_of(code: str) -> dict[str, Any]:
    """Return the facts that the message of the code mentions, each with PLACE as value."""
    placeholders, message = Placeholders(), message_for(code)
    _ = (str(message.what) % placeholders, str(message.remedy) % placeholders)
    return {name: NUMBERS.get(name, PLACE) for name in placeholders}


def joined(site: Site, person: User) -> None:
    texts = site.texts
    reported = tuple(
        ReportedObservation(code=code, facts=poisoned(texts, "Told", facts_of(code))) for code in messages()
    )
    finding = SampledIssue(code="dcndl.W004", severity="warning", field=texts("f.field"), value=texts("f.value"))
    sampled = [
        SampledRecord(
            identifier=texts("sampled.identifier"),
            prefix="dcndl",
            record=made,
            payload=texts("sampled.xml"),
            findings=(finding,),
        )
        for made in (book(texts, "s"), None)
    ]
    report = Report(
        protocol="oai-pmh",
        prefix="dcndl",
        base_url=texts("report.base_url"),
        reported=reported,
        received=2,
        identity=hostile(texts, Identity, "identity"),
        formats=(hostile(texts, MetadataFormat, "format"), MetadataFormat(prefix="dcndl")),
        sets=(hostile(texts, OaiSet, "set"),),
        records=tuple(sampled),
    )
    done = SelfTest.objects.create(
        state="done",
        report=pack_report(report),
        finished=timezone.now(),
        options={"base_url": texts("wish.base_url"), "prefix": "dcndl"},
    )
    failed = SelfTest.objects.create(state="failed", code="net.refused", facts=facts_of("net.refused"))
    typed = {
        "address": {"base_url": [PLACE], "login_name": [PLACE], "metadata_prefix": [PLACE]},
        "offer": {"format": [PLACE], "sets": [PLACE]},
        "links": {"link_template": [PLACE], "link_encoding": [PLACE]},
        "schedule": {"schedule": ["cron"], "cron": [PLACE], "quiet_from": [PLACE], "quiet_until": [PLACE]},
        "contact": {
            name: [PLACE] for name in ("name", "name_yomi", "name_en", "kind", "contact_email", "home_page", "licence")
        },
    }
    drafts = [Draft.objects.create(owner=person, typed=typed, looked=made, trial=made) for made in (done, failed)]
    drafts.append(Draft.objects.create(owner=person, looked=done, trial=done))
    applications = [
        Application.objects.create(repository=feed.repository, kind="join", state=state, trial=done)
        for feed, state in zip(site.feeds, ("open", "refused", "granted"), strict=True)
    ]
    site.rows |= {"validations": [done, failed], "drafts": drafts, "application": applications[0]}


def written_to(site: Site, person: User) -> None:
    """Create notifications, outgoing messages, invitations, API keys and the audit trail."""
    now, repository = timezone.now(), site.feeds[0].repository
    other = User.objects.create(username="other")
    to = [Recipient.objects.create(person=person, channel=how, repository=repository) for how in ("mail", "webhook")]
    letters = [
        OutgoingMessage.objects.create(
            key=f"k{recipient.pk}",
            kind="notice",
            recipient=recipient,
            repository=repository,
            channel=recipient.channel,
            state="failed",
        )
        for recipient in to
    ]
    alert = SearchAlert.objects.create(address="reader@example.jp", search="q=a", language="ja", due=now, confirmed=now)
    everything = {"first": 0, "last": 2**62, "first_item": 0, "last_item": 2**62}
    TakenList.objects.create(door="oai", client="robot", taken_at=now, **everything)
    site.rows["alert_tokens"] = [sign_token(salt, alert.pk, alert.nonce, "daily") for salt in (CONFIRM, STOP)]
    NotificationEvent.objects.create(
        key="e", kind="application.asked", repository=repository, weight=1, facts={"by": PLACE, "text": PLACE}
    )
    invited = Invitation.objects.create(role="librarian", expires=now + timedelta(days=7))
    ExternalLogin.objects.create(user=other)
    PasswordRequest.objects.create(key="k", language="ja", asked=now)
    key = ApiKey.objects.create(budget=1, digest=hashlib.sha256(b"x").digest(), start="x", created_by=other)
    token = PushToken.objects.create(repository=repository, digest=hashlib.sha256(b"x").digest(), start="push_x")
    feed = Feed.objects.create(repository=repository, protocol="push", base_url="", metadata_prefix="")
    issue = {"rule": "dcndl.W004", "severity": "warning", "identifier": PLACE, "place": PLACE, "value": PLACE}
    said = {"message": {"ja": PLACE, "en": PLACE}, "counts": {}, "issues": [issue]}
    report = {"state": "partly", **said}
    pushed = Push.objects.create(feed=feed, content="changes", size=1, digest=b"x", state="ended", report=report)
    for action in ("provider.changed", "person.invited", "harvest.start"):
        AuditEntry.objects.create(
            person=person,
            action=action,
            repository=repository,
            details={"before": PLACE, "after": PLACE, "file": PLACE},
        )
    site.rows |= {"to": to, "letters": letters, "invited": invited, "key": key, "person": other}
    site.rows |= {"push_token": token, "pushes": [pushed]}


def ruled(site: Site, person: User) -> None:
    first, second = SourceRecord.objects.filter(refused=False, suppressed_at=None).order_by("pk")[:2]
    ReviewPair.objects.filter(first=first, second=second).delete()
    found = {"evidence": [{"rule": "isbn", "outcome": "same", "weight": 6.0}], "pattern": "none"}
    pair = {"first": first, "second": second, "first_core_id": 1, "second_core_id": 2}
    ReviewPair.objects.create(**pair, **found, score=0.5, chance=0.5, joined=True, asked=True, since=timezone.now())
    names = sorted((first.public_id, second.public_id))
    MatchRuling.objects.create(verdict="same", first=names[0], second=names[1], author=person)
    ErrorReport.objects.create(public_id=names[0], other=names[1], kind="not_same")
    site.rows |= {"pair": (first, second)}


def operated(site: Site) -> None:
    """Create the traces of operations: a backup and an erased provider."""
    Backup.objects.create(began=timezone.now(), bytes=1, seconds=1)
    site.rows["erased"] = Repository.objects.create(number="R000000099", state="stopped", approved=True)
    Erasure.objects.create(repository=site.rows["erased"], phase="done", finished=timezone.now())
