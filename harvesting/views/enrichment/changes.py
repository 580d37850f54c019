"""Changing the enrichment rules of a provider: every change is previewed first, then used as a new version.

The proposed rules are in the preview itself, which sends them back; so nothing that is not in use is stored.
"""

from typing import Any

import msgspec
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from harvesting.accounts.access import for_librarians, own_repository
from harvesting.enrichment import versions
from harvesting.enrichment.forms import FORMS, ImportForm, UseForm, kind_of
from harvesting.enrichment.preview import preview
from harvesting.enrichment.wording import KINDS, field_label, problem
from harvesting.models import Repository
from harvesting.views.enrichment.pages import lines_of, page
from metadata.enrichment.documents import RuleError, as_json, check_rules
from metadata.enrichment.rules import AnyRule

type Rules = tuple[AnyRule, ...]


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def enrichment_rule(request: HttpRequest, number: str) -> HttpResponse:
    """The form of a new rule (?kind=) or of one in use (?at=); a POST shows what it would change."""
    repository = own_repository(request, number)
    rules = versions.rules_in_use(repository)
    at = _place(request.GET.get("at", ""), rules)
    kind = kind_of(rules[at]) if at is not None else request.GET.get("kind", "")
    if kind not in FORMS:
        raise Http404(kind)
    initial = FORMS[kind].values_of(rules[at]) if at is not None else {}
    form = FORMS[kind](request.POST or None, initial=initial)
    context: dict[str, Any] = {"repository": repository, "form": form, "kind": KINDS[kind], "is_new": at is None}
    if request.method == "POST" and form.is_valid():
        proposed = _with(rules, at, form.rule)
        try:
            check_rules(proposed)
        except RuleError as error:
            form.add_error(None, problem(error))
        else:
            context |= _previewed(repository, proposed)
    return render(request, "manage/enrichment/rule.html", context, status=422 if form.errors else 200)


@require_POST
@for_librarians
def enrichment_change(request: HttpRequest, number: str) -> HttpResponse:
    """Show what removing or moving a rule would change (do, at), or using the rules of a file."""
    repository = own_repository(request, number)
    rules, act = versions.rules_in_use(repository), request.POST.get("do", "")
    if act == "import":
        form = ImportForm(request.POST, request.FILES, label_suffix="")
        if not form.is_valid():
            return page(request, repository, form, 422)
        proposed: Rules = form.cleaned_data["file"]
    else:
        proposed = _changed(rules, act, _place(request.POST.get("at", ""), rules))
    context = {"repository": repository, **_previewed(repository, proposed)}
    return render(request, "manage/enrichment/change.html", context)


@require_POST
@for_librarians
def enrichment_use(request: HttpRequest, number: str) -> HttpResponse:
    """Use rules that were previewed as a new version, or an earlier version again (do=back)."""
    repository = own_repository(request, number)
    if request.POST.get("do") == "back":
        return _back(request, repository)
    form = UseForm(request.POST)
    if not form.is_valid():
        raise Http404(number)
    current = versions.in_use(repository)
    if form.cleaned_data["base"] != (current.version if current else 0):
        messages.error(request, _("Someone else has changed the rules in the meantime. Look at them and try again."))
        return redirect("enrichment", number)
    stored = versions.store(repository, form.cleaned_data["document"], request.user, form.cleaned_data["reason"])
    if stored is None:
        messages.info(request, _("These rules are in use already."))
    else:
        text = _("Version %(version)s of the rules is in use. The records are being read again.")
        messages.success(request, text % {"version": stored.version})
    return redirect("enrichment", number)


def _back(request: HttpRequest, repository: Repository) -> HttpResponse:
    wanted, reason = request.POST.get("version", ""), request.POST.get("reason", "")[:500]
    if not (wanted.isdecimal() and len(wanted) < 9):
        raise Http404(wanted)
    if versions.go_back(repository, int(wanted), request.user, reason) is None:
        messages.info(request, _("These rules are in use already."))
    else:
        text = _("Version %(version)s of the rules is in use again. The records are being read again.")
        messages.success(request, text % {"version": wanted})
    return redirect("enrichment", repository.number)


def _previewed(repository: Repository, proposed: Rules) -> dict[str, Any]:
    """Return what the preview of these rules needs."""
    current = versions.in_use(repository)
    document = msgspec.json.encode(as_json(proposed)).decode()
    seen = preview(repository, proposed)
    return {
        "preview": seen,
        "proposed": lines_of(proposed),
        "examples": [(one, [(field_label(part.field), part) for part in one.differences]) for one in seen.examples],
        "use_form": UseForm(initial={"document": document, "base": current.version if current else 0}, label_suffix=""),
    }


def _place(text: str, rules: Rules) -> int | None:
    """Return a place in the rules; None for "". Http404 if there is none."""
    if not text:
        return None
    if not (text.isdecimal() and len(text) < 4 and int(text) < len(rules)):
        raise Http404(text)
    return int(text)


def _with(rules: Rules, at: int | None, rule: AnyRule) -> Rules:
    return (*rules, rule) if at is None else (*rules[:at], rule, *rules[at + 1 :])


def _changed(rules: Rules, act: str, at: int | None) -> Rules:
    """Return the rules without the one at a place, or with that one earlier or later."""
    if at is None:
        raise Http404(act)
    rest = (*rules[:at], *rules[at + 1 :])
    if act == "remove":
        return rest
    to = at + {"earlier": -1, "later": 1}.get(act, len(rules))
    if not 0 <= to < len(rules):
        raise Http404(act)
    return (*rest[:to], rules[at], *rest[to:])
