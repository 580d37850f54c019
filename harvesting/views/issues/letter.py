"""The letter to a provider: as a page to print and as text to mail, in Japanese or English."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from core.languages import choices, languages
from harvesting.accounts.access import for_librarians, own_repository
from harvesting.issues.letter import as_text, letter


@require_safe
@for_librarians
def issue_letter(request: HttpRequest, number: str, suffix: str = "") -> HttpResponse:
    """The letter, in the language of ?language=: its reader may need another language than the user of the page."""
    repository = own_repository(request, number)
    language = request.GET.get("language", get_language() or "")
    language = language if language in languages() else "en"
    yearly = "year" in request.GET
    content = letter(repository, language, yearly=yearly)
    context = {
        "repository": repository,
        "letter": content,
        "language": language,
        "kind": "&year=1" if yearly else "",
        "languages": choices(),
        "site": settings.PUBLIC_URL,
        "page": f"{settings.PUBLIC_URL}{reverse('repository', args=[number])}",
    }
    if suffix and content:
        text = as_text(content, language, str(context["page"]))
        headers = {"Content-Disposition": f'attachment; filename="letter-{number}.txt"'}
        return HttpResponse(text, "text/plain; charset=utf-8", headers=headers)
    with override(language):
        context["body"] = render_to_string("manage/issues/letter_body.html", context)
        context["mail"] = _mail(repository.contact_email, number, str(context["page"]))
    return render(request, "manage/issues/letter.html", context)


def _mail(address: str, number: str, page: str) -> str:
    """A mailto: URL with a subject and a text that links to the issues; the user attaches the letter."""
    words = {
        "subject": _("Issues in the records of %(number)s") % {"number": number},
        "body": _("The issues found in your records are listed in the attached message and on this page: %(page)s")
        % {"page": page},
    }
    return f"mailto:{urlencode({'': address})[1:]}?{urlencode(words).replace('+', '%20')}"
