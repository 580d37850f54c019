"""What went wrong with a run, as sentences for people: code -> what happened, what to do. No database.

The codes are those of TransportError; `facts` fill the places. The Japanese is in locale/ja.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Message:
    """Two lazily translated sentences with %(fact)s places."""

    what: "StrOrPromise"
    remedy: "StrOrPromise"


_CHECK_URL = _("Check the base URL with the provider; “probe” shows what it answers.")
_ASK_PROVIDER = _("Ask the provider to look at its server; the harvest can be started again at any time.")
_LATER = _("Nothing is lost. The harvest goes on by itself where it stopped.")

MESSAGES: dict[str, Message] = {
    "net.refused_address": Message(
        _("%(url)s leads to an address that must not be harvested (%(reason)s)."),
        _(
            "Only public addresses are harvested. For a server inside your own network the operator sets "
            "HARVEST_ALLOWED_NETWORKS."
        ),
    ),
    "net.bad_url": Message(_("“%(url)s” is not a URL that can be harvested (%(reason)s)."), _CHECK_URL),
    "net.dns": Message(_("The host name in %(url)s is not known."), _CHECK_URL),
    "net.connect": Message(_("No connection to %(url)s could be made (%(reason)s)."), _CHECK_URL),
    "net.tls": Message(
        _("The secure connection to %(url)s failed: %(reason)s."),
        _("Ask the provider to renew or complete its certificate."),
    ),
    "net.timeout": Message(_("%(url)s did not answer completely in the time allowed."), _ASK_PROVIDER),
    "net.truncated": Message(_("The answer of %(url)s ended before it was complete."), _ASK_PROVIDER),
    "net.too_large": Message(
        _("The answer of %(url)s is larger than allowed."), _("Ask the provider for smaller pages.")
    ),
    "net.encoding": Message(_("The answer of %(url)s is compressed in a way that cannot be read."), _ASK_PROVIDER),
    "net.redirects": Message(_("%(url)s redirects too often or to nowhere (%(reason)s)."), _CHECK_URL),
    "http.401": Message(_("%(url)s asks for a login."), _("Ask the provider for access.")),
    "http.403": Message(
        _("%(url)s refuses us (status 403)."),
        _("Ask the provider to admit this harvester; a firewall or bot protection may be in front."),
    ),
    "http.404": Message(_("There is nothing at %(url)s (status 404)."), _CHECK_URL),
    "http.429": Message(_("%(url)s asks us to slow down (status 429)."), _LATER),
    "http.503": Message(_("%(url)s is busy (status 503)."), _LATER),
    "http": Message(_("%(url)s answered with status %(status)s."), _ASK_PROVIDER),
    "xml.malformed": Message(
        _(
            "The answer of %(url)s is not well-formed XML: line %(line)s, column %(column)s: %(reason)s. "
            "Nothing of this page was stored."
        ),
        _ASK_PROVIDER,
    ),
    "xml.forbidden": Message(
        _("The answer of %(url)s contains a document type or entities, which are refused for safety."), _ASK_PROVIDER
    ),
    "oai.not_oai": Message(
        _("%(url)s answers, but not with OAI-PMH: %(found)s."),
        _("Give the base URL of the OAI-PMH interface, not that of a web page. It often ends in /oai or /oai2d."),
    ),
    "oai.cannotDisseminateFormat": Message(
        _("The provider does not offer the format “%(prefix)s”. It offers: %(available)s."),
        _("Change the metadataPrefix of the feed to one of these."),
    ),
    "oai.badResumptionToken": Message(
        _("The provider does not accept the resumptionToken it gave (it has expired, or its server was restarted)."),
        _("Start the harvest again; what has been stored stays."),
    ),
    "oai.idDoesNotExist": Message(
        _("The provider has no record “%(identifier)s”."), _("Check the identifier; the provider may have renamed it.")
    ),
    "oai.noSetHierarchy": Message(
        _("The provider has no sets, but the feed names one."), _("Leave setSpec of the feed empty.")
    ),
    "oai.badArgument": Message(
        _("The provider refuses the request: %(reason)s (badArgument)."),
        _("Check set and dates of the feed; “probe” shows what the provider accepts."),
    ),
    "oai.no_answer": Message(_("The answer of %(url)s is incomplete: %(reason)s."), _ASK_PROVIDER),
    "oai.unknown": Message(
        _("The provider answered with an error that OAI-PMH does not know: %(reason)s."), _ASK_PROVIDER
    ),
    "oai.loop": Message(
        _("The provider sends the same page again and again; the list was stopped there."), _ASK_PROVIDER
    ),
    "oai": Message(_("The provider answered with the OAI-PMH error %(code)s: %(reason)s."), _ASK_PROVIDER),
    "run.active": Message(
        _("Harvest %(harvest)s of this feed is not finished."),
        _("Wait until it ends. If its worker died, it can be taken up again after 90 seconds."),
    ),
    "run.lease_lost": Message(_("Another worker has taken over this harvest."), _("Nothing needs to be done.")),
    "run.stopped": Message(_("The harvest was stopped by hand."), _("Start it again: it goes on where it stopped.")),
    "run.attempts": Message(
        _("The harvest was taken up %(attempts)s times and never ended."),
        _("The operator finds the reason in the log of the worker."),
    ),
    "run.internal": Message(
        _("The aggregator itself failed (%(reason)s)."),
        _("The operator finds the reason in the log; the harvest is taken up again by itself."),
    ),
}


def message_for(code: str) -> Message:
    """The message of a code, or that of its family ("http.500" -> "http")."""
    return MESSAGES.get(code) or MESSAGES.get(code.split(".")[0]) or MESSAGES["run.internal"]


def describe(code: str, facts: Mapping[str, str | int]) -> str:
    """What happened and what to do, in the language in force; "" for no code."""
    if not code:
        return ""
    message = message_for(code)
    values: defaultdict[str, str | int] = defaultdict(lambda: "?", {**facts, "code": code.split(".")[-1]})
    values.setdefault("url", facts.get("base_url", "?"))
    between = "" if get_language() == "ja" else " "  # Japanese sets no blank behind a full stop
    return f"{message.what}{between}{message.remedy}" % values
