"""What is said to staff about a question that failed: what happened, where, and what to do. No database."""

from django.utils.translation import gettext

from aggregator.availability.health import Facts
from harvesting.messages import happened, remedy
from harvesting.texts import Message, _

_SEE_ADDRESS = _(
    "Open this address in a browser. If it shows a page for people, the manual of the library’s system names the "
    "address of the interface for programs."
)
_MESSAGES = {
    "availability.no_json": Message(_("The answer from %(url)s is not JSON (%(detail)s)."), _SEE_ADDRESS),
    "availability.no_xml": Message(_("The answer from %(url)s is not well-formed XML (%(detail)s)."), _SEE_ADDRESS),
    "availability.no_daia": Message(
        _("The answer from %(url)s is not in DAIA format: it has no documents."),
        _("If the interface answers in JSON of its own, choose “JSON with declared fields”."),
    ),
    "availability.no_fields": Message(
        _(
            "The copies in the answer from %(url)s have neither the declared status nor the declared count. They have: "
            "%(detail)s."
        ),
        _("Correct the paths of the fields."),
    ),
}
_FIXED = ("net.refused_address", "net.bad_url")  # codes whose general remedy (`remedy`) fits here as well
_LATER = _("Nothing is lost: the library is asked again later. If this lasts, tell the people who run its system.")
_CHECK = _("Check the address template, and whether the interface is open to this server.")


def explain(code: str, facts: Facts) -> str:
    """Return what happened and what to do, in the active language; "" for an empty code."""
    if not code:
        return ""
    if code in _MESSAGES:
        message = _MESSAGES[code]
        what, to_do = gettext(message.what) % {"url": "?", "detail": "?", **facts}, gettext(message.remedy)
    else:
        what, to_do = happened(code, facts), _remedy(code)
    return f"{what}{'' if what.endswith('。') else ' '}{to_do}"


def _remedy(code: str) -> str:
    if code in _FIXED:
        return remedy(code)
    is_ours = code.startswith("http.4") or code in ("http.bot_wall", "net.dns", "net.connect")
    return gettext(_CHECK if is_ours else _LATER)
