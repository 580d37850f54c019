"""The page that shows where links to a provider lead, and why. Links are made by `libraries.provider_link`."""

from dataclasses import dataclass
from itertools import islice

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.catalogue import books
from aggregator.libraries.provider_link import FilledTemplate, Placeholder, fill_link_template, own_page, provider_link
from aggregator.trials.link_form import DraftForm, LinkForm
from harvesting.models import PAYLOAD_COLUMNS, Repository, SourceRecord
from harvesting.validators import template_fault
from metadata.links import PLACEHOLDERS, safe_href
from metadata.record import BibliographicRecord, Item

LOOKED_AT = 200  # newest records that are searched for examples
EXAMPLES = 2  # of each kind

MEANINGS = {
    "isbn": gettext_lazy("ISBN, 13 digits"),
    "isbn_hyphens": gettext_lazy("ISBN, 13 digits, with hyphens"),
    "isbn10": gettext_lazy("ISBN, 10 digits"),
    "isbn10_hyphens": gettext_lazy("ISBN, 10 digits, with hyphens"),
    "issn": gettext_lazy("ISSN with hyphen"),
    "issn_digits": gettext_lazy("ISSN without hyphen"),
    "doi": "DOI",
    "jpno": gettext_lazy("Japanese national bibliography number"),
    "ncid": "NCID",
    "identifier": gettext_lazy("the record’s number at the provider"),
    "title": gettext_lazy("title"),
    "creator": gettext_lazy("first creator, as recorded"),
    "family": gettext_lazy("first creator: family name"),
    "given": gettext_lazy("first creator: given name"),
    "corporate": gettext_lazy("first creator, if a corporate body"),
    "publisher": gettext_lazy("publisher"),
    "place": gettext_lazy("place of publication"),
    "year": gettext_lazy("year"),
    "volume": gettext_lazy("volume"),
}
EMPTY = {
    "absent": gettext_lazy("The record has no such value."),
    "isbn_first": gettext_lazy("Not used: the ISBN identifies the book better."),
    "number_first": gettext_lazy("Not used: a number identifies the book better."),
    "characters": gettext_lazy("Not used: %(encoding)s cannot represent all characters of the value."),
}
REASONS = {
    "none": gettext_lazy("No link template is registered."),
    "no_key": gettext_lazy(
        "The record has no value for any placeholder that identifies a book, so this link cannot be made."
    ),
    "address": gettext_lazy(
        "The record has no usable value for a placeholder before the “?” or after the “#” of the link template."
    ),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One kind of link, in the order of preference of `provider_link`. url: "" if there is none; reason: why not."""

    kind: str
    title: str
    url: str
    reason: str = ""


def link_trial(request: HttpRequest, number: str) -> HttpResponse:
    """Show where links of a record lead. Whoever sees the provider may look; who manages it may try other templates."""
    repository = Repository.objects.filter(number=number).first()
    if repository is None:
        raise Http404(number)
    manages = _manages(request, repository)
    if not (manages or (repository.approved and repository.published)):
        raise Http404(number)
    initial = {"template": repository.link_template, "encoding": repository.link_encoding}
    form = (DraftForm if manages else LinkForm)(repository, request.GET or None, initial=initial)
    context = {
        "repository": repository,
        "form": form,
        "manages": manages,
        "meanings": [(name, MEANINGS[name]) for name in PLACEHOLDERS],
        "examples": _examples(repository),
        **(_tried(form) if form.is_valid() else {}),
    }
    return render(request, "repositories/links.html", context, status=400 if form.errors else 200)


def _manages(request: HttpRequest, repository: Repository) -> bool:
    user = request.user
    if not (user.is_authenticated and user.has_perm("harvesting.change_repository")):
        return False
    return Repository.objects.for_user(user).filter(pk=repository.pk).exists()


def _tried(form: LinkForm) -> dict[str, object]:
    record, source = form.description, form.source
    item = next(iter(record.items), Item())
    trial = fill_link_template(record, source)
    steps = (
        Step("openurl", _("OpenURL"), trial.url, _reason(trial)),
        Step(
            "detail",
            _("The record’s page at the provider"),
            own_page(item, record, source),
            _("The record does not give the address of its page."),
        ),
        Step("top", _("Top page of the provider"), safe_href(source.home_page), _("Not registered.")),
    )
    return {
        "record": record,
        "source": source,
        "link": provider_link(item, record, source),
        "steps": steps,
        "places": [
            (placeholder, MEANINGS[placeholder.name], _reason_for_empty(placeholder, source.encoding))
            for placeholder in trial.placeholders
        ],
    }


def _reason(trial: FilledTemplate) -> str:
    if not trial.reason:
        return ""
    return str(REASONS.get(trial.reason) or template_fault(trial.reason))


def _reason_for_empty(place: Placeholder, encoding: str) -> str:
    if not place.empty:
        return ""
    return EMPTY[place.empty] % {"encoding": dict(Repository.LinkEncoding.choices)[encoding]}


def _examples(repository: Repository) -> list[tuple[str, BibliographicRecord]]:
    """Return some of the newest records: with an ISBN, with an ISSN, with neither."""
    newest = SourceRecord.objects.filter(repository=repository, deleted=False, suppressed_at=None).exclude(
        payload_hash=b""
    )
    rows = newest.select_related("repository").defer(*PAYLOAD_COLUMNS).order_by("-pk")[:LOOKED_AT]
    kinds: dict[str, list[tuple[str, BibliographicRecord]]] = {"ISBN": [], "ISSN": [], "": []}
    for row in rows:
        record = books.describe(row).record
        kinds[next((scheme for scheme in ("ISBN", "ISSN") if record.values(scheme)), "")].append(
            (row.public_id, record)
        )
    return [example for of_kind in kinds.values() for example in islice(of_kind, EXAMPLES)]
