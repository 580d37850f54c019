"""The page of the link in a mail, where a library answers a request without an account."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from aggregator.loan_desk.acting import Refused, answer
from aggregator.loan_desk.buttons import buttons, choices, step_of
from aggregator.loan_desk.links import open_link
from aggregator.loan_desk.packing import request_of
from aggregator.loan_desk.parties import terms_of
from aggregator.loans.states import Side
from aggregator.views.loans.pages import described


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def loan_answer(request: HttpRequest, token: str) -> HttpResponse:
    """Show the request and the answers that the link permits; POST gives one. GET changes nothing.

    Status 410 for a link that has expired or was revoked.
    """
    opened = open_link(token, timezone.now())
    if opened is None:
        return render(request, "loans/answer_gone.html", status=410)
    if request.method == "POST":
        step = step_of(request.POST)
        if step is not None:
            try:
                answer(opened, step, timezone.now())
            except Refused as refusal:
                messages.error(request, str(refusal))
            else:
                messages.success(request, _("Thank you. The borrowing library has been notified."))
        return redirect("loan_answer", token)
    loan = opened.loan
    context = {
        **described(loan, persons=False),
        "buttons": buttons(loan, request_of(loan), Side.LENDER, opened.answers),
        "choices": choices(timezone.localdate(), terms_of(loan.lender).days),
        "token": token,
    }
    return render(request, "loans/answer.html", context)
