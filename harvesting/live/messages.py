"""Messages about live sources: why one did not answer, and what was odd in an answer. Facts: `detail`, `url`."""

from harvesting.texts import ASK_PROVIDER, NOTHING_TO_DO, Message, _

_CHECK = _("Check the address and the settings of the live source. You can run a test search on its settings page.")
_NARROW = _("Try a simpler search, or search on the site of the catalogue itself.")

MESSAGES: dict[str, Message] = {
    "live.link_only": Message(
        _("This catalogue cannot be searched from here; there is only a link to its search page."), NOTHING_TO_DO
    ),
    "live.nothing_asked": Message(
        _("The catalogue cannot be searched for “%(detail)s”: it has no search in all fields."), _CHECK
    ),
    "live.options": Message(_("The settings of this live source are incomplete: %(detail)s"), _CHECK),
    "live.not_sru": Message(
        _("The address answers, but not with SRU: %(detail)s"),
        _("Enter the address of the SRU interface without parameters, as the catalogue documents it."),
    ),
    "live.not_description": Message(
        _("There is no OpenSearch description at this address: %(detail)s"),
        _("Enter the address of the OpenSearch description, or of a page that links to it."),
    ),
    "live.no_template": Message(
        _("The OpenSearch description names no search whose results are RSS or Atom."),
        _("Register the catalogue as a link only, or ask it for another interface."),
    ),
    "live.not_feed": Message(_("The answer is neither RSS nor Atom: %(detail)s"), _CHECK),
    "live.not_json": Message(_("The answer is not JSON: %(detail)s"), _CHECK),
    "live.no_items": Message(_("The answer has no list of records at “%(detail)s”."), _CHECK),
    "live.xml": Message(_("The answer is not well-formed XML: %(detail)s"), ASK_PROVIDER),
    "live.too_large": Message(_("The answer is too large."), _("Request fewer records at a time.")),
    "live.query": Message(_("The catalogue does not understand the search: %(detail)s"), _NARROW),
    "live.schema": Message(
        _("The catalogue does not offer the chosen record format: %(detail)s"),
        _("Read the description of the catalogue again, and choose one of the formats that it offers."),
    ),
    "live.denied": Message(
        _("The catalogue refuses access: %(detail)s"),
        _("Ask the catalogue for permission, and enter the login that it gives you."),
    ),
    "live.unavailable": Message(_("The catalogue is unavailable: %(detail)s"), ASK_PROVIDER),
    "live.diagnostic": Message(_("The catalogue answers with an error: %(detail)s"), ASK_PROVIDER),
    "live.warning": Message(_("The catalogue adds a warning: %(detail)s"), NOTHING_TO_DO),
    "live.record_withheld": Message(
        _("The catalogue could not supply %(count)s of the records that it found: %(detail)s"), ASK_PROVIDER
    ),
    "live.too_many": Message(
        _("The catalogue sent %(count)s records, more than were requested. The surplus was ignored."), NOTHING_TO_DO
    ),
    "live.wrong_total": Message(
        _("The catalogue states %(stated)s hits, but sent %(count)s records. The number of hits is not shown."),
        ASK_PROVIDER,
    ),
    "live.nothing_found": Message(
        _("The daily search did not find the known item."),
        _(
            "Search for it on the site of the catalogue. If it is found there, the interface of the catalogue is out "
            "of order; if not, choose other words."
        ),
    ),
    "live.late": Message(_("The catalogue was busy with other searches for too long."), NOTHING_TO_DO),
}
