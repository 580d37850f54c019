"""Hands DOIs over through JaLC's interface: prepared as rows, sent once, then asked for by their number.

One process at a time works on deliveries. If it dies between sending a document and noting the number that JaLC gave
it, nobody knows whether the document arrived: such a delivery is left to a person and never sent again by itself.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from core.checkpoints import checkpoint
from core.database.locks import Work, try_lock
from core.redaction import redact
from harvesting.doi import states
from harvesting.doi.jalc_interface import LONGEST, NOT_SENT, Interface, Reply
from harvesting.http.fetch import Fetcher
from harvesting.models import DoiAgreement, DoiDelivery, DoiEvent, RequestedDoi, SourceRecord
from harvesting.records.compression import pack_payload, unpack_payload, unpack_record
from harvesting.registry.credentials import seal, unseal
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError
from metadata.deposits import jalc
from metadata.deposits.kinds import JALC, Kind
from metadata.deposits.needs import NotRegistrable, registrable
from metadata.record import BibliographicRecord

# Checkpoints at which tests kill the process.
BEFORE_SENDING, AFTER_SENDING, AFTER_NOTING = "doi.before_sending", "doi.after_sending", "doi.after_noting"
MOST_DOIS = 100  # in one document
MOST_DELIVERIES = 20  # of one job
FIRST_QUESTION = timedelta(minutes=30)  # JaLC works its documents off every half hour
NEXT_QUESTION = timedelta(hours=1)
LONGEST_WAIT = timedelta(days=14)
RETRY, MOST_ATTEMPTS = timedelta(minutes=30), 5
NOT_MENTIONED = gettext_noop("The answer of the agency does not mention this DOI.")
State, DoiState = DoiDelivery.State, RequestedDoi.State


class NotReady(Exception):
    """A provider whose DOIs cannot be sent. code: "off", "site_id", "login" or "dry_run" (none was made yet)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def ready(repository_id: int, agency: str) -> "list[RequestedDoi]":
    """Return the DOIs of a provider that can be handed over, and are in no open delivery."""
    wanted = RequestedDoi.objects.filter(repository=repository_id, agency=agency, delivery=None)
    return list(wanted.filter(state__in=(DoiState.READY, DoiState.CHANGED), checked_at__isnull=False).order_by("pk"))


@transaction.atomic
def prepare(agreement: DoiAgreement, *, rehearsal: bool) -> list[DoiDelivery]:
    """Write the documents of all DOIs that are ready, and store them to be sent; in a rehearsal, only to be read.

    Raises NotReady.
    """
    _check(agreement, rehearsal)
    rows = ready(agreement.repository_id, JALC)
    packed = dict(
        SourceRecord.objects.filter(pk__in=[row.record_id for row in rows if row.record_id]).values_list("pk", "record")
    )
    by_kind: dict[Kind, list[tuple[RequestedDoi, BibliographicRecord]]] = {}
    for row in rows:
        record = unpack_record(bytes(packed[row.record_id or 0]))
        try:
            by_kind.setdefault(registrable(record, JALC), []).append((row, record))
        except NotRegistrable:
            continue  # the record has changed since; it will be checked again
    parts = (found[at : at + MOST_DOIS] for found in by_kind.values() for at in range(0, len(found), MOST_DOIS))
    return [_store(agreement, part, rehearsal) for part in parts]


def _check(agreement: DoiAgreement, rehearsal: bool) -> None:
    needs = {
        "site_id": not agreement.site_id,
        "off": agreement.hand_over != DoiAgreement.HandOver.API and not rehearsal,
        "login": not agreement.credentials and not rehearsal,
        "dry_run": not rehearsal
        and not DoiDelivery.objects.filter(repository=agreement.repository_id, rehearsal=True).exists(),
    }
    for code, is_missing in needs.items():
        if is_missing:
            raise NotReady(code)


def _store(
    agreement: DoiAgreement, part: Sequence[tuple[RequestedDoi, BibliographicRecord]], rehearsal: bool
) -> DoiDelivery:
    document = jalc.write([record for _row, record in part], agreement.site_id, jalc.BY_NUMBER)
    delivery = DoiDelivery.objects.create(
        repository_id=agreement.repository_id,
        rehearsal=rehearsal,
        state=State.DONE if rehearsal else State.WAITING,
        ended_at=timezone.now() if rehearsal else None,
        document=pack_payload(document),
        contents=[[row.pk, states.digest_of(record, JALC)] for row, record in part],
    )
    if not rehearsal:
        RequestedDoi.objects.filter(pk__in=[row.pk for row, _record in part]).update(delivery=delivery)
    return delivery


def prepare_automatically() -> int:
    """Prepare what is ready of providers whose DOIs are sent regularly; return how many documents.

    Regularly means that a person has sent some, and that nothing failed since.
    """
    made = 0
    for agreement in DoiAgreement.objects.filter(hand_over=DoiAgreement.HandOver.API):
        last = DoiDelivery.objects.filter(repository=agreement.repository_id, rehearsal=False).first()
        if last is not None and last.state in (State.DONE, State.SENT):
            made += len(prepare(agreement, rehearsal=False)) if agreement.credentials else 0
    return made


def is_due() -> bool:
    """Whether a delivery waits to be sent or asked for."""
    return DoiDelivery.objects.filter(ended_at=None, due__lte=timezone.now()).exists()


def work_off() -> int:
    """Send what waits and ask for what was sent, unless another process does; return the number of deliveries."""
    done = 0
    with try_lock(Work.DOIS) as locked:
        while locked and done < MOST_DELIVERIES:
            delivery = DoiDelivery.objects.filter(ended_at=None, due__lte=timezone.now()).order_by("pk").first()
            if delivery is None:
                break
            _step(delivery)
            done += 1
    return done


def _step(delivery: DoiDelivery) -> None:
    if delivery.state == State.SENDING:  # this process holds the lock, so the process that was sending has died
        _end(delivery, State.UNCERTAIN)
        return
    try:
        if delivery.state == State.WAITING:
            _send(delivery)
        else:
            _settle(delivery, interface_of(delivery.repository_id).result(delivery.number))
    except TransportError as error:
        _fail(delivery, error)


def _send(delivery: DoiDelivery) -> None:
    interface = interface_of(delivery.repository_id)
    DoiDelivery.objects.filter(pk=delivery.pk).update(
        state=State.SENDING, sent_at=timezone.now(), attempts=F("attempts") + 1
    )
    delivery.refresh_from_db()
    checkpoint(BEFORE_SENDING)
    reply = interface.send(unpack_payload(bytes(delivery.document)))
    checkpoint(AFTER_SENDING)
    if reply.refusal:
        _end(delivery, State.FAILED, reply.refusal)
        return
    with transaction.atomic():
        _update(delivery, state=State.SENT, number=reply.number[:40], due=timezone.now() + FIRST_QUESTION)
        for pk, digest in delivery.contents:
            _note(pk, DoiState.SENT, delivery, sent_digest=digest)
    checkpoint(AFTER_NOTING)
    if reply.results:
        _settle(delivery, reply)
    elif not reply.number:
        _end(delivery, State.UNCERTAIN)


@transaction.atomic
def _settle(delivery: DoiDelivery, reply: Reply) -> None:
    """Store the results, or wait longer if there are none yet."""
    if reply.refusal:
        _end(delivery, State.FAILED, reply.refusal)
    elif not reply.results:
        over = timezone.now() - (delivery.sent_at or delivery.created_at) > LONGEST_WAIT
        if over:
            _end(delivery, State.UNCERTAIN)
        else:
            _update(delivery, due=timezone.now() + NEXT_QUESTION)
    else:
        _store_results(delivery, dict(reply.results))


def _store_results(delivery: DoiDelivery, results: dict[str, str]) -> None:
    dois = dict(RequestedDoi.objects.filter(pk__in=[pk for pk, _digest in delivery.contents]).values_list("pk", "doi"))
    for pk, _digest in delivery.contents:
        if pk in dois:
            words = results.pop(dois[pk].lower(), NOT_MENTIONED)
            _note(pk, DoiState.REFUSED if words else DoiState.REGISTERED, delivery, message=words, delivery_id=None)
    _update(delivery, state=State.DONE, ended_at=timezone.now(), message=", ".join(results)[:LONGEST])


def _fail(delivery: DoiDelivery, error: TransportError) -> None:
    """Decide what follows from an error: a document of which nothing was sent can be sent later."""
    words = redact(f"{error.code}: {error.message}")[:LONGEST]
    asked = delivery.state == State.SENT
    if error.code.startswith("credentials."):
        _end(delivery, State.FAILED, words)
    elif asked or (error.code in NOT_SENT and delivery.attempts < MOST_ATTEMPTS):
        state = State.SENT if asked else State.WAITING
        _update(delivery, state=state, message=words, due=timezone.now() + (NEXT_QUESTION if asked else RETRY))
    else:
        _end(delivery, State.FAILED if error.code in NOT_SENT else State.UNCERTAIN, words)


@transaction.atomic
def _end(delivery: DoiDelivery, state: DoiDelivery.State, message: str = "") -> None:
    """End a delivery without results. Its DOIs can be handed over again if it certainly did not arrive."""
    _update(delivery, state=state, ended_at=timezone.now(), message=message or delivery.message)
    for pk, digest in delivery.contents:
        if state == State.UNCERTAIN:
            _note(pk, DoiState.SENT, delivery, sent_digest=digest)
        else:
            _release(pk)


def resolve(delivery: DoiDelivery, *, arrived: bool) -> bool:
    """Settle what a person has found out about an uncertain delivery; return whether it was still uncertain."""
    with transaction.atomic():
        state = State.DONE if arrived else State.FAILED
        open_ = DoiDelivery.objects.filter(pk=delivery.pk, state=State.UNCERTAIN)
        if not open_.update(state=state, ended_at=timezone.now()):
            return False
        for pk, digest in delivery.contents:
            if arrived:
                _note(pk, DoiState.REGISTERED, delivery, sent_digest=digest, message="", delivery_id=None)
            else:
                _release(pk)
    return True


def _release(pk: int) -> None:
    """Let a DOI be handed over again, in the state that it had before its delivery."""
    row = RequestedDoi.objects.filter(pk=pk).first()
    if row is not None:
        before = row.events.filter(state__in=(DoiState.REGISTERED, DoiState.REFUSED)).last()
        sent = before.digest if before else ""
        RequestedDoi.objects.filter(pk=pk).update(delivery=None, sent_digest=sent, checked_at=None)


def _update(delivery: DoiDelivery, **columns: Any) -> None:
    DoiDelivery.objects.filter(pk=delivery.pk).update(**columns)
    for name, value in columns.items():
        setattr(delivery, name, value)


def _note(pk: int, state: RequestedDoi.State, of: DoiDelivery, **columns: Any) -> None:
    """Give a DOI a state, and add that to its history. It is checked again, because its record may have changed."""
    now = timezone.now()
    if not RequestedDoi.objects.filter(pk=pk).update(state=state, changed_at=now, checked_at=None, **columns):
        return
    digest = dict(map(tuple, of.contents))[pk]
    words = columns.get("message", "")
    DoiEvent.objects.create(requested_doi_id=pk, at=now, state=state, message=words, digest=digest, delivery=of)


@sensitive_variables()
def interface_of(repository_id: int) -> Interface:
    """Return JaLC's interface for a provider. Raises TransportError "credentials.…"."""
    sealed = DoiAgreement.objects.filter(repository=repository_id).values_list("credentials", flat=True).first()
    if not sealed:
        raise TransportError("no login is stored", "credentials.missing", permanent=True)
    login, password = json.loads(unseal(bytes(sealed)))
    return Interface(settings.JALC_URL, login, password, Fetcher(fetch_policy()))


@sensitive_variables()
def seal_login(login: str, password: str) -> bytes:
    """Encrypt the login of JaLC's interface for `DoiAgreement.credentials`."""
    return seal(json.dumps([login, password], ensure_ascii=False))
