"""Registration of a provider by a librarian: from the input of each page to an application that staff approve. No HTTP.

A draft stores the raw input of its pages. The feed and repository that follow from it are computed anew each time they
are needed; no Feed or Repository row exists before the last page is submitted.
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from core.files import shared
from harvesting.audit.trail import note
from harvesting.joining.forms import AddressForm, ContactForm, LinksForm, OfferForm, ScheduleForm
from harvesting.models import Application, Draft, Feed, Push, Repository, SelfTest
from harvesting.models.states import ProviderState
from harvesting.registry import uploads
from harvesting.registry.live_form import options_from, options_or_none
from harvesting.registry.policies import usual_profile
from harvesting.registry.registration import RegistrationError, register
from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import DEFAULT, TRANSPORTS, UNKNOWN, for_files, for_pushes
from harvesting.trials.report import Report, unpack_report
from harvesting.trials.self_test import MOST_SAMPLED, asker_of, submit_self_test
from metadata.formats import READABLE

# What a software states before somebody has named the repository.
DEFAULTS = ("DSpace at My University", "DSpace", "My DSpace Repository", "EPrints", "OAI Repository", "Repository")


ADDRESS, OFFER, SAMPLE, LINKS, SCHEDULE, CONTACT, SUMMARY = STEPS = (
    *("address", "offer", "sample", "links", "schedule", "contact", "summary"),
)
# Never stored as raw input: logins are encrypted.
SECRETS = frozenset({"login_kind", "login_name", "login_header", "login_secret", "forget_login"})
KEPT_FOR = timedelta(days=180)
LONGEST = 20_000  # characters of one field
PROBED_RECORDS = 5  # sample size for the first look at an address
JOIN, DELETE = Application.Kind.JOIN, Application.Kind.DELETE

type Form = AddressForm | OfferForm | LinksForm | ScheduleForm | ContactForm


def store_input(draft: Draft, step: str, data: Mapping[str, Any]) -> None:
    """Store the raw input of a page in the draft: known fields only, without secrets. data: a QueryDict."""
    form = form_of(draft, step)
    fields = set(form.fields) - SECRETS if form else set()
    lists = data.lists() if isinstance(data, MultiValueDict) else data.items()
    texts = {name: [value[:LONGEST] for value in values] for name, values in lists if name in fields}
    draft.typed = {**draft.typed, step: texts}
    draft.save(update_fields=["typed", "changed"])


def is_live(draft: Draft) -> bool:
    """Whether the catalogue is only searched: then there is nothing to schedule."""
    return feed_so_far(draft).transport_kind.is_live


def steps_of(draft: Draft) -> tuple[str, ...]:
    """The pages of a registration, in their order."""
    return tuple(step for step in STEPS if step != SCHEDULE or not is_live(draft))


def form_of(draft: Draft, step: str, sent: Any = None, files: Any = None) -> Form | None:
    """Return the form of a page: bound to the data sent now, else to the stored input, else unbound.

    None for a page without a form.
    """
    typed = draft.typed.get(step)
    data = sent if sent is not None else MultiValueDict(typed) if typed is not None else None
    if step == ADDRESS:
        return AddressForm(data, files, instance=address_feed(draft))
    if step == OFFER:
        return OfferForm(report_of(draft.looked), data)
    if step == LINKS:
        return LinksForm(data, instance=Repository(home_page=""))
    if step == SCHEDULE and step in steps_of(draft):
        usual = Feed.Schedule.MANUAL if draft.upload else Feed.Schedule.DAILY
        return ScheduleForm(data, instance=Feed(base_url="https://place.invalid/", schedule=usual))
    if step == CONTACT:
        return ContactForm(data, initial=suggested_contact(draft))
    return None


def address_feed(draft: Draft) -> Feed:
    """An unsaved feed with the uploaded file and the login of the draft, as the instance of the address form."""
    place = {"protocol": for_files().name, "base_url": draft.upload} if draft.upload else {"protocol": ""}
    return Feed(credentials=bytes(draft.credentials), **place)


def suggested_contact(draft: Draft) -> dict[str, str]:
    """Initial values of the contact page, from the provider's Identify response."""
    identity = report_of(draft.looked).identity
    if identity is None:
        return {}
    email = identity.admin_emails[0].removeprefix("mailto:") if identity.admin_emails else ""
    feed = feed_so_far(draft)
    host = urlsplit(feed.base_url).hostname or ""
    name = name_worth_confirming(identity.repository_name, [feed.metadata_prefix, host])
    return {"name": name[:200], "contact_email": email[:254]}


def report_of(self_test: SelfTest | None) -> Report:
    """Return the report of a self-test; an empty report until it is done."""
    return unpack_report(self_test.report) if self_test and self_test.state == SelfTest.State.DONE else Report()


def store_address(draft: Draft, form: AddressForm) -> None:
    """Store the uploaded file and the login of a valid form, and submit a self-test of what the address offers.

    A file that is no longer used is deleted after the transaction; the earlier sample is discarded.
    """
    upload: UploadedFile[bytes] | None = form.cleaned_data.get("upload")
    before = draft.upload
    if upload:
        draft.upload = uploads.store(upload)
    elif form.cleaned_data.get("base_url") != before:
        draft.upload = ""
    if before and before != draft.upload:
        transaction.on_commit(lambda: uploads.discard(before))
    form.store_login(form.instance)
    draft.credentials = bytes(form.instance.credentials)
    draft.save(update_fields=["upload", "credentials", "changed"])
    draft.looked = submit_self_test(
        self_test_options(draft, PROBED_RECORDS), asker=asker_of(draft.owner_id), credentials=bytes(draft.credentials)
    )
    draft.trial = None
    draft.save(update_fields=["looked", "trial", "changed"])


def request_sample(draft: Draft) -> None:
    """Submit a self-test that samples records in the chosen format, from the first chosen set."""
    draft.trial = submit_self_test(
        self_test_options(draft, MOST_SAMPLED, chosen=True),
        asker=asker_of(draft.owner_id),
        credentials=bytes(draft.credentials),
    )
    draft.save(update_fields=["trial", "changed"])


def is_pushed(draft: Draft) -> bool:
    """Whether the provider will send its records itself; the uploaded file is the first that it sends."""
    return bool(draft.upload) and _typed(draft, ADDRESS).get("protocol", "") == for_pushes().name


def self_test_options(draft: Draft, sample: int, *, chosen: bool = False) -> dict[str, Any]:
    """The options of a self-test (`SelfTest.options`). chosen: with the chosen format, set and profile."""
    feed = feed_so_far(draft)
    typed = _typed(draft, ADDRESS)
    options = {
        "base_url": draft.upload or feed.base_url,
        "protocol": for_files().name if draft.upload else feed.protocol if chosen else typed.get("protocol", ""),
        "full_url": feed.full_url,
        "encoding": feed.encoding,
        "columns": feed.columns,
        "sample": sample,
    }
    if draft.upload:
        options["stored"] = True
    elif typed.get("known_item") and not chosen:
        options["live"] = {"known_item": typed["known_item"].strip()}
    if chosen:
        offer = _cleaned(draft, OFFER)
        sets = offer.get("sets") or [""]
        options |= {"prefix": _format_of_records(draft), "set_spec": sets[0], "profile": offer.get("profile", "")}
        options["live"] = feed.live_options
    return {name: value for name, value in options.items() if value}


def feed_so_far(draft: Draft) -> Feed:
    """The feed as it would be registered, without a set, as far as the draft is filled in. Unsaved."""
    address, report = _cleaned(draft, ADDRESS), report_of(draft.looked)
    typed = _typed(draft, ADDRESS).get("protocol", "")
    protocol = for_files().name if draft.upload else typed or report.protocol or DEFAULT.name
    place = {"protocol": protocol, "base_url": draft.upload or address.get("base_url", "")}
    prefix = _prefix(draft, TRANSPORTS.get(protocol, UNKNOWN))
    if is_pushed(draft):  # files of any format may follow
        place, prefix = {"protocol": for_pushes().name, "base_url": ""}, ""
    return Feed(
        **place,
        repository=Repository(number="R900000000"),  # a placeholder: the description of the schedule needs a number
        full_url=address.get("full_url", ""),
        encoding=address.get("encoding", ""),
        columns=address.get("columns", {}),
        credentials=bytes(draft.credentials),
        metadata_prefix=prefix,
        granularity=(report.identity.granularity if report.identity else "")[:25],
        deleted_record=_deleted_record(report),
        live_options=_live_options(draft, report, prefix),
    )


def _live_options(draft: Draft, report: Report, prefix: str) -> dict[str, Any]:
    """The options of a live source: those of its description, with what was entered."""
    if not report.kind.is_live or report.identity is None:
        return {}
    return options_from(report.kind, options_or_none(report.identity.live), _cleaned(draft, OFFER), prefix)


def _format_of_records(draft: Draft) -> str:
    """The format of the records that were looked at."""
    return _prefix(draft, for_files()) if draft.upload else feed_so_far(draft).metadata_prefix


def _prefix(draft: Draft, kind: TransportKind) -> str:
    """The format that was chosen, or the one that follows from the kind of the transport."""
    offered = report_of(draft.looked).prefix if kind.needs_prefix or kind.is_live else ""
    return _cleaned(draft, OFFER).get("format") or offered or kind.default_prefix


def _deleted_record(report: Report) -> str:
    policy = report.identity.deleted_record if report.identity else ""
    return policy if policy in Feed.DeletedRecord.values else ""


def missing(draft: Draft) -> list[str]:
    """The steps whose input is missing or invalid, in page order."""
    incomplete = []
    for step in steps_of(draft):
        if step in (SAMPLE, SUMMARY):
            continue
        form = form_of(draft, step)
        if form is None or not form.is_bound or not form.is_valid():
            incomplete.append(step)
    return incomplete


def repository_of(draft: Draft) -> Repository:
    """The repository as it would be registered, as far as the draft is filled in. Unsaved."""
    values = {**_cleaned(draft, LINKS), **_cleaned(draft, CONTACT)}
    offer = _cleaned(draft, OFFER)
    profile = offer.get("profile") or usual_profile(_format_of_records(draft))
    return Repository(**values, profile=profile, state=Repository.State.ASKED, approved=False)


def feeds_of(draft: Draft) -> list[Feed]:
    """The feeds as they would be registered: one per chosen set, or one for everything. Unsaved."""
    schedule = _cleaned(draft, SCHEDULE)
    feeds = []
    for spec in _cleaned(draft, OFFER).get("sets") or [""]:
        feed = feed_so_far(draft)
        feed.set_spec = spec
        for name, value in schedule.items():
            setattr(feed, name, value)
        if feed.transport_kind.is_pushed or feed.transport_kind.is_live:
            feed.schedule = Feed.Schedule.MANUAL
        feeds.append(feed)
    return feeds


@transaction.atomic
def submit(draft: Draft, person: Any) -> Repository:
    """Register the provider of a draft, apply for approval by staff, and delete the draft.

    The person becomes its librarian. Raises RegistrationError with the steps that are incomplete.
    """
    draft = Draft.objects.select_for_update().get(pk=draft.pk)
    incomplete = missing(draft)
    if incomplete:
        raise RegistrationError(", ".join(incomplete))
    repository = register(repository_of(draft), feeds_of(draft))
    repository.managers.add(person)
    if is_pushed(draft):
        _push_first_file(draft, repository, person)
    Application.objects.create(repository=repository, kind=JOIN, asked_by=person.get_username(), trial=draft.trial)
    note(person, "provider.registered", repository)
    draft.delete()
    return repository


def _push_first_file(draft: Draft, repository: Repository, person: Any) -> None:
    """Let the uploaded file wait as the first push, until the provider is approved."""
    with shared.local(draft.upload).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    Push.objects.create(
        feed=repository.feeds.get(),
        content=Push.Content.CHANGES,
        name=draft.upload.rpartition("/")[2],
        file=draft.upload,
        size=shared.size(draft.upload),
        digest=digest,
        sender=person.get_username()[:100],
    )


@transaction.atomic
def discard(draft: Draft) -> None:
    """Delete a draft and the file uploaded for it."""
    path = draft.upload
    draft.delete()
    if path:
        transaction.on_commit(lambda: uploads.discard(path))


def prune(now: datetime) -> int:
    """Delete the drafts that have not been changed for KEPT_FOR; return their number."""
    drafts = list(Draft.objects.filter(changed__lt=now - KEPT_FOR))
    for draft in drafts:
        discard(draft)
    return len(drafts)


@transaction.atomic
def answer(
    application: Application,
    person: Any,
    *,
    granted: bool,
    reason: str = "",
    becomes: ProviderState = ProviderState.LIVE,
) -> bool:
    """Grant an application, or send it back with a reason. Return False if it was answered before.

    becomes: the state of a new provider that is granted, LIVE or TRIAL. Granting a deletion only stops the provider: an
    administrator erases its data.
    """
    state = Application.State.GRANTED if granted else Application.State.REFUSED
    unanswered = Application.objects.filter(pk=application.pk, state=Application.State.OPEN)
    values = {"answered_by": person.get_username(), "answered_at": timezone.now(), "answer": reason}
    if not unanswered.update(state=state, **values):
        return False
    repository = application.repository
    if granted and application.kind == JOIN:
        published = becomes == Repository.State.LIVE
        Repository.objects.filter(pk=repository.pk).update(
            approved=True, state=becomes, published=published, state_reason=""
        )
    elif granted:
        values = {"state": Repository.State.STOPPED, "state_reason": reason or application.text[:200]}
        Repository.objects.filter(pk=repository.pk).update(**values)
    note(person, f"provider.{application.kind}.{state}", repository, reason)
    return True


@transaction.atomic
def apply(repository: Repository, kind: str, person: Any, text: str = "") -> Application:
    """Submit an application to staff, unless one of this kind is open for the repository; return the open one."""
    application, created = Application.objects.get_or_create(
        repository=repository,
        kind=kind,
        state=Application.State.OPEN,
        defaults={"asked_by": person.get_username(), "text": text},
    )
    if created:
        note(person, f"provider.{kind}.asked", repository, text)
    return application


@transaction.atomic
def change_state(repository: Repository, state: str, person: Any, reason: str) -> None:
    """Pause, stop or restart a provider. This does not approve a provider that staff have not approved."""
    repository.published = repository.published or state == Repository.State.LIVE
    repository.state, repository.state_reason = state, reason
    repository.save(update_fields=["state", "state_reason", "published"])
    note(person, f"provider.{state}", repository, reason)


def _typed(draft: Draft, step: str) -> dict[str, str]:
    """The raw input of a page: field -> text (the last of several values)."""
    return {name: values[-1] for name, values in draft.typed.get(step, {}).items() if values}


def _cleaned(draft: Draft, step: str) -> dict[str, Any]:
    """The cleaned values of a page's stored input; invalid fields are left out."""
    form = form_of(draft, step)
    if form is None or not form.is_bound:
        return {}
    form.is_valid()
    return {name: value for name, value in form.cleaned_data.items() if name in form.fields}


def name_worth_confirming(stated: str, technical: Collection[str]) -> str:
    """The name that a provider states, without a repetition in brackets; "" if it is none: the name of a format, or
    what a software has before somebody changes it. technical: further words that are no names, such as the host.
    """
    name = " ".join(stated.split())
    repeated = re.fullmatch(r"(.+?) ?[(（](.+)[)）]", name)
    if repeated and repeated[1] == repeated[2]:
        name = repeated[1]
    words = {word.casefold() for word in (*technical, *READABLE, *DEFAULTS)}
    return "" if name.casefold() in words or not any(letter.isalpha() for letter in name) else name
