"""The review of pairs by staff: the patterns of the questions, and the pairs of one, answered and undone one at a time.
The pages are rendered by `match_page`.
"""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from aggregator.bulk.matches import query_of
from aggregator.grouping.inspection.reasons import PairExplanation, explain_pair
from aggregator.grouping.rulings.meaning import IGNORE, LOCK, NOT_SAME, PRINTINGS, SAME
from aggregator.grouping.rulings.rows import ruling_from_row
from aggregator.models import MatchRuling
from aggregator.review.offers import answered_by, asked_about, provider_of_printings
from aggregator.review.patterns import patterns
from aggregator.review.preview import effect_of
from aggregator.review.queue import next_question
from aggregator.review.readers_words import dismiss
from aggregator.review.ruling_form import RulingForm, record_named
from aggregator.review.rulings import Contradiction, carry_out, sentence, undo
from aggregator.views.manage.match_page import counts, offers_about, place, query_string, show
from core.http.row_ids import row_id
from harvesting.models import Repository

type View = Callable[[HttpRequest], HttpResponse]

PERMISSIONS = ("aggregator.add_matchruling", "aggregator.change_matchruling")
VERDICTS = (SAME, NOT_SAME, LOCK, IGNORE)
DISMISS = "dismiss"


def for_staff(view: View) -> View:
    """Admit only users who may make and undo rulings; others must log in, or get 403."""
    return never_cache(login_required(permission_required(PERMISSIONS, raise_exception=True)(view)))


@require_safe
@for_staff
def matches(request: HttpRequest) -> HttpResponse:
    """List the patterns of the questions that wait, the most important first."""
    wanted = place(request)
    rows = patterns(wanted["kind"])
    context = {
        "rows": [(row, query_of(row.kind, row.pattern)) for row in rows],
        "pairs": sum(row.questions for row in rows),
        "counts": counts(),
        "place": wanted,
        "again": query_string({"kind": wanted["kind"]}),
    }
    return render(request, "matches/patterns.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def review(request: HttpRequest) -> HttpResponse:
    """Show the next pair that waits, and accept the answer about it."""
    if request.method == "POST":
        return _answer(request)
    question = next_question(**place(request))
    found = explain_pair(question.first, question.second) if question else None
    return show(request, found, question=question)


@require_safe
@for_staff
def pair_page(request: HttpRequest) -> HttpResponse:
    """Show why any two records are grouped or not; the same answers are possible."""
    given = [request.GET.get(name, "") for name in ("first", "second")]
    found = _asked(*given)
    reason = _("These are not two records of the catalogue. Enter the IDs or addresses of two different records.")
    return show(request, found, alone=True, problem="" if found or not any(given) else reason)


@require_POST
@for_staff
def undo_ruling(request: HttpRequest) -> HttpResponse:
    """Undo a ruling, and show the pair that it was about."""
    row = get_object_or_404(MatchRuling, pk=row_id(request.POST.get("ruling", "")))
    if row.undone is None:
        undo(row, person(request))
    about = row.records[:2] if row.verdict == LOCK else [name for name in (row.first, row.second) if name]
    if len(about) == 2:
        return redirect(f"{reverse('match_pair')}?{urlencode({'first': about[0], 'second': about[1]})}")
    return _onward(request)


def _answer(request: HttpRequest) -> HttpResponse:
    """Make the ruling and go to the next pair; a ruling that is refused or only tried shows the same pair again.

    What readers said can also be closed without a ruling.
    """
    if request.POST.get("rule") == DISMISS:
        dismiss(request.POST.get("first", ""), request.POST.get("second", ""), person(request))
        return _onward(request)
    form = RulingForm(_ruling_data(request))
    found = _asked(request.POST.get("first", ""), request.POST.get("second", ""))
    alone = bool(request.POST.get("alone"))
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return show(request, found, alone=alone, problem=problem, status=422)
    row = form.save(commit=False)
    question = asked_about(row.first, row.second) if row.verdict in (SAME, NOT_SAME) else None
    row.pattern = answered_by(question) if question else ""
    if "try" in request.POST:
        effect = effect_of(lambda: carry_out(row, None))
        return show(request, found, alone=alone, effect=effect, tried=sentence(ruling_from_row(row)))
    try:
        carry_out(row, person(request))
    except Contradiction as error:  # another ruling was made since the form was checked
        return show(request, found, alone=alone, problem=error.message, status=409)
    if found:
        _offer_rules(request, found, row)
    return _onward(request)


def _offer_rules(request: HttpRequest, found: PairExplanation, row: MatchRuling) -> None:
    """Suggest what the answer may say about all records of a provider, with a link to where it can be seen.

    The page of a pattern shows its offers itself.
    """
    if row.verdict == SAME and (provider := provider_of_printings(found)):
        _offer_printings(request, provider)
    kind, _colon, pattern = row.pattern.partition(":")
    for offer in offers_about(kind, pattern) if pattern and not place(request)["pattern"] else ():
        if offer.provider.pk in (found.first.repository.pk, found.second.repository.pk):
            messages.info(
                request,
                format_html(
                    '{} <a href="{}">{}</a>',
                    _("You can answer the other pairs of %(provider)s with the same signs in the same way.")
                    % {"provider": offer.provider.label},
                    f"{reverse('match_review')}?{query_of(kind, pattern, offer.provider.number)}",
                    _("Show these pairs"),
                ),
            )


def _offer_printings(request: HttpRequest, provider: Repository) -> None:
    """Suggest a ruling that all dates of this provider are those of printings, with a link to the form for it."""
    form = urlencode({"verdict": PRINTINGS, "first": provider.number, "reason": _("Compared side by side.")})
    text = _(
        "Only the dates differed. If %(provider)s gives the dates of printings in general, you can rule so for all its "
        "records:"
    ) % {"provider": provider.label}
    address = f"{reverse('admin:aggregator_matchruling_add')}?{form}"
    messages.info(request, format_html('{} <a href="{}">{}</a>', text, address, _("See what would change")))


def _ruling_data(request: HttpRequest) -> dict[str, str]:
    """Return the data of the page's buttons and fields for RulingForm.

    A button is named "rule" or "try"; its value is the kind of ruling. For a lock, ":" and a record of the group
    follow.
    """
    given = request.POST
    verdict, _colon, group = (given.get("try") or given.get("rule", "")).partition(":")
    verdict = verdict if verdict in VERDICTS else ""
    usual = _("Compared side by side.") if verdict in (SAME, NOT_SAME) else ""
    return {
        "verdict": verdict,
        "first": given.get("scope", "") if verdict == IGNORE else given.get("first", ""),
        "second": given.get("second", ""),
        "group": group,
        "copies": given.get("copies", ""),
        "isbn": given.get("isbn", ""),
        "reason": given.get("reason", "").strip() or usual,
    }


def _asked(first: str, second: str) -> PairExplanation | None:
    names = record_named(first), record_named(second)
    return explain_pair(*names) if all(names) else None


def _onward(request: HttpRequest) -> HttpResponse:
    query = query_string(place(request))
    return redirect(f"{reverse('match_review')}?{query}" if query else reverse("match_review"))


def person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None
