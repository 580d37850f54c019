"""What people read about DOIs: why nothing can be sent, and the words of an agency."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_NOT_READY: "dict[str, StrOrPromise]" = {
    "off": gettext_lazy("The agreement of this provider does not say that DOIs are sent through JaLC’s interface."),
    "site_id": gettext_lazy("The agreement of this provider has no site ID at JaLC."),
    "login": gettext_lazy("No login of JaLC’s interface is stored for this provider."),
    "dry_run": gettext_lazy("Make a dry run first, and look at its documents."),
}


def not_ready_text(code: str) -> str:
    """Return why the DOIs of a provider cannot be sent. code: as in deliveries.NotReady."""
    return str(_NOT_READY[code])


def answer_text(message: str) -> str:
    """Return the words of an agency, which are shown as they are, or our own about its answer."""
    return gettext(message) if message else ""
