"""Joining: from what a librarian typed, page by page, to a registered provider that staff agree to. No HTTP.

A draft keeps what was typed as it was typed. What is made of it - a feed, a repository - is made anew each time it is
asked for, and nothing is stored as a provider before the last page.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from harvesting.audit.trail import note
from harvesting.joining.forms import AddressForm, ContactForm, LinksForm, OfferForm, ScheduleForm
from harvesting.models import Application, Draft, Feed, Repository, SelfTest
from harvesting.registry import uploads
from harvesting.registry.policies import usual_profile
from harvesting.registry.registration import DEFAULT_PREFIX, RegistrationError, register
from harvesting.trials.report import Report, unpack_report
from harvesting.trials.self_test import MOST_SAMPLED, ask

ADDRESS, OFFER, SAMPLE, LINKS, SCHEDULE, CONTACT, SUMMARY = STEPS = (
    *("address", "offer", "sample", "links", "schedule", "contact", "summary"),
)
# Never kept as they were typed: a login is sealed.
SECRETS = frozenset({"login_kind", "login_name", "login_header", "login_secret", "forget_login"})
KEPT_FOR = timedelta(days=180)
LONGEST = 20_000  # characters of one field
LOOKED_AT = 5  # records, to see what an address offers
JOIN, DELETE = Application.Kind.JOIN, Application.Kind.DELETE

type Form = AddressForm | OfferForm | LinksForm | ScheduleForm | ContactForm


def keep(draft: Draft, step: str, given: Mapping[str, Any]) -> None:
    """Keep what was typed into the fields of a page, and nothing else that was sent. given: a QueryDict."""
    form = form_of(draft, step)
    fields = set(form.fields) - SECRETS if form else set()
    lists = given.lists() if isinstance(given, MultiValueDict) else given.items()
    kept = {name: [each[:LONGEST] for each in values] for name, values in lists if name in fields}
    draft.typed = {**draft.typed, step: kept}
    draft.save(update_fields=["typed", "changed"])


def form_of(draft: Draft, step: str, given: Any = None, files: Any = None) -> Form | None:
    """The form of a page: with what was sent now, else with what was typed, else as it begins. None: it has none."""
    typed = draft.typed.get(step)
    data = given if given is not None else MultiValueDict(typed) if typed is not None else None
    if step == ADDRESS:
        return AddressForm(data, files, instance=address_feed(draft))
    if step == OFFER:
        return OfferForm(report_of(draft.looked), data)
    if step == LINKS:
        return LinksForm(data, instance=Repository(home_page=""))
    if step == SCHEDULE:
        usual = Feed.Schedule.MANUAL if draft.upload else Feed.Schedule.DAILY
        return ScheduleForm(data, instance=Feed(base_url="https://place.invalid/", schedule=usual))
    if step == CONTACT:
        return ContactForm(data, initial=suggested(draft))
    return None


def address_feed(draft: Draft) -> Feed:
    """A feed that knows of the draft's file and login."""
    place = {"protocol": Feed.Protocol.FILE, "base_url": draft.upload} if draft.upload else {"protocol": ""}
    return Feed(credentials=bytes(draft.credentials), **place)


def suggested(draft: Draft) -> dict[str, str]:
    """What the provider says of itself, to begin with."""
    identity = report_of(draft.looked).identity
    if identity is None:
        return {}
    email = identity.admin_emails[0].removeprefix("mailto:") if identity.admin_emails else ""
    return {"name": identity.repository_name[:200], "contact_email": email[:254]}


def report_of(made: SelfTest | None) -> Report:
    """The report of a look or a trial, an empty one until there is one."""
    return unpack_report(made.report) if made and made.state == SelfTest.State.DONE else Report()


def take_address(draft: Draft, form: AddressForm) -> None:
    """Store the file and the login that came with a valid form, and look at what the address offers."""
    upload: UploadedFile[bytes] | None = form.cleaned_data.get("upload")
    before = draft.upload
    if upload:
        draft.upload = str(uploads.store(upload))
    elif form.cleaned_data.get("base_url") != before:
        draft.upload = ""
    if before and before != draft.upload:
        transaction.on_commit(lambda: uploads.discard(before))
    form.keep_login(form.instance)
    draft.credentials = bytes(form.instance.credentials)
    draft.save(update_fields=["upload", "credentials", "changed"])
    draft.looked = ask(wishes_of(draft, LOOKED_AT), credentials=bytes(draft.credentials))
    draft.trial = None
    draft.save(update_fields=["looked", "trial", "changed"])


def try_out(draft: Draft) -> None:
    """Take a sample in the format and of the first set that were chosen."""
    draft.trial = ask(wishes_of(draft, MOST_SAMPLED, chosen=True), credentials=bytes(draft.credentials))
    draft.save(update_fields=["trial", "changed"])


def wishes_of(draft: Draft, sample: int, *, chosen: bool = False) -> dict[str, Any]:
    """What is asked for. chosen: in the chosen format and set, as strictly as was chosen."""
    feed = feed_so_far(draft)
    typed = _typed(draft, ADDRESS)
    wishes = {
        "base_url": feed.base_url,
        "protocol": feed.protocol if draft.upload or chosen else typed.get("protocol", ""),
        "full_url": feed.full_url,
        "encoding": feed.encoding,
        "columns": feed.columns,
        "sample": sample,
    }
    if draft.upload:
        wishes["stored"] = True
    if chosen:
        offer = _cleaned(draft, OFFER)
        sets = offer.get("sets") or [""]
        wishes |= {"prefix": feed.metadata_prefix, "set_spec": sets[0], "profile": offer.get("profile", "")}
    return {name: value for name, value in wishes.items() if value}


def feed_so_far(draft: Draft) -> Feed:
    """The feed as it would be registered, without a set; as far as it is known."""
    address, report = _cleaned(draft, ADDRESS), report_of(draft.looked)
    typed = _typed(draft, ADDRESS).get("protocol", "")
    protocol = str(Feed.Protocol.FILE if draft.upload else typed or report.protocol or Feed.Protocol.OAI_PMH)
    offer = _cleaned(draft, OFFER)
    prefix = offer.get("format") or (report.prefix if protocol == Feed.Protocol.OAI_PMH else "")
    return Feed(
        repository=Repository(number="R900000000"),  # for the words about its schedule
        protocol=protocol,
        base_url=draft.upload or address.get("base_url", ""),
        full_url=address.get("full_url", ""),
        encoding=address.get("encoding", ""),
        columns=address.get("columns", {}),
        credentials=bytes(draft.credentials),
        metadata_prefix=prefix or DEFAULT_PREFIX[protocol],
        granularity=(report.identity.granularity if report.identity else "")[:25],
        deleted_record=_deleted_record(report),
    )


def _deleted_record(report: Report) -> str:
    said = report.identity.deleted_record if report.identity else ""
    return said if said in Feed.DeletedRecord.values else ""


def missing(draft: Draft) -> list[str]:
    """The pages that still lack something, in their order."""
    found = []
    for step in (ADDRESS, OFFER, LINKS, SCHEDULE, CONTACT):
        form = form_of(draft, step)
        if form is None or not form.is_bound or not form.is_valid():
            found.append(step)
    return found


def repository_of(draft: Draft) -> Repository:
    """The provider as it would be registered, as far as it is known."""
    values = {**_cleaned(draft, LINKS), **_cleaned(draft, CONTACT)}
    offer = _cleaned(draft, OFFER)
    profile = offer.get("profile") or usual_profile(feed_so_far(draft).metadata_prefix)
    return Repository(**values, profile=profile, state=Repository.State.TRIAL, approved=False)


def feeds_of(draft: Draft) -> list[Feed]:
    """Its feeds: one for each chosen set, or one for everything."""
    schedule = _cleaned(draft, SCHEDULE)
    found = []
    for spec in _cleaned(draft, OFFER).get("sets") or [""]:
        feed = feed_so_far(draft)
        feed.set_spec = spec
        for name, value in schedule.items():
            setattr(feed, name, value)
        found.append(feed)
    return found


@transaction.atomic
def submit(draft: Draft, person: Any) -> Repository:
    """Register what was typed, on trial, and ask staff to agree. Raises RegistrationError where pages lack something.

    The person becomes its librarian; the draft is gone.
    """
    draft = Draft.objects.select_for_update().get(pk=draft.pk)
    lacking = missing(draft)
    if lacking:
        raise RegistrationError(", ".join(lacking))
    repository = register(repository_of(draft), feeds_of(draft))
    repository.managers.add(person)
    Application.objects.create(repository=repository, kind=JOIN, asked_by=person.get_username(), trial=draft.trial)
    note(person, "provider.registered", repository)
    draft.delete()
    return repository


@transaction.atomic
def discard(draft: Draft) -> None:
    """Forget a draft, with the file that came for it."""
    path = draft.upload
    draft.delete()
    if path:
        transaction.on_commit(lambda: uploads.discard(path))


def prune(now: datetime) -> int:
    """Forget the drafts that nobody has touched for long; returns how many."""
    old = list(Draft.objects.filter(changed__lt=now - KEPT_FOR))
    for each in old:
        discard(each)
    return len(old)


@transaction.atomic
def answer(asked: Application, person: Any, *, granted: bool, reason: str = "") -> bool:
    """Agree, or send back with a reason. False if somebody has answered already."""
    state = Application.State.GRANTED if granted else Application.State.REFUSED
    still = Application.objects.filter(pk=asked.pk, state=Application.State.OPEN)
    values = {"answered_by": person.get_username(), "answered_at": timezone.now(), "answer": reason}
    if not still.update(state=state, **values):
        return False
    repository = asked.repository
    if granted and asked.kind == JOIN:
        Repository.objects.filter(pk=repository.pk).update(approved=True, state=Repository.State.LIVE, state_reason="")
    elif granted:
        values = {"state": Repository.State.STOPPED, "state_reason": reason or asked.text[:200]}
        Repository.objects.filter(pk=repository.pk).update(**values)
    note(person, f"provider.{asked.kind}.{state}", repository, reason)
    return True


@transaction.atomic
def apply(repository: Repository, kind: str, person: Any, text: str = "") -> Application:
    """Ask staff for something; what waits already is enough."""
    found, created = Application.objects.get_or_create(
        repository=repository,
        kind=kind,
        state=Application.State.OPEN,
        defaults={"asked_by": person.get_username(), "text": text},
    )
    if created:
        note(person, f"provider.{kind}.asked", repository, text)
    return found


@transaction.atomic
def move(repository: Repository, state: str, person: Any, reason: str) -> None:
    """Pause, stop or go on; what staff have not agreed to does not go on by this."""
    Repository.objects.filter(pk=repository.pk).update(state=state, state_reason=reason)
    repository.state, repository.state_reason = state, reason
    note(person, f"provider.{state}", repository, reason)


def same_place(address: str) -> list[Repository]:
    """The providers that are registered with this address, however its scheme, case and last slash are written."""
    wanted = _place(address)
    if not wanted[0]:
        return []
    feeds = Feed.objects.filter(base_url__icontains=wanted[0]).select_related("repository")
    found = {each.repository_id: each.repository for each in feeds if _place(each.base_url) == wanted}
    return list(found.values())


def _place(address: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(address.strip())
        return (parts.hostname or "").lower(), parts.path.rstrip("/"), parts.query
    except ValueError:
        return "", "", ""


def _typed(draft: Draft, step: str) -> dict[str, str]:
    """Field -> the text that was typed (the last of several)."""
    return {name: values[-1] for name, values in draft.typed.get(step, {}).items() if values}


def _cleaned(draft: Draft, step: str) -> dict[str, Any]:
    """What a page's form makes of what was typed, as far as it can be understood."""
    form = form_of(draft, step)
    if form is None or not form.is_bound:
        return {}
    form.is_valid()
    return {name: value for name, value in form.cleaned_data.items() if name in form.fields}
