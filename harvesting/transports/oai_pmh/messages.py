"""Messages about OAI-PMH responses."""

from harvesting.texts import ASK_PROVIDER, NOTHING_TO_DO, Message, _

MESSAGES: dict[str, Message] = {
    "oai.not_oai": Message(
        _("The response from %(url)s is not OAI-PMH: %(found)s."),
        _("Enter the base URL of the OAI-PMH interface, not that of a web page. It often ends in /oai or /oai2d."),
    ),
    "oai.cannotDisseminateFormat": Message(
        _("The provider does not offer the format “%(prefix)s”. It offers: %(available)s."),
        _("Change the metadataPrefix of the feed to one of these."),
    ),
    "oai.badResumptionToken": Message(
        _(
            "The provider does not accept the resumptionToken that it issued (the token has expired, "
            "or the server was restarted)."
        ),
        _("Start the harvest again. Data already stored is kept."),
    ),
    "oai.idDoesNotExist": Message(
        _("The provider has no record “%(identifier)s”."), _("Check the identifier; the provider may have renamed it.")
    ),
    "oai.noSetHierarchy": Message(
        _("The provider has no sets, but the feed specifies one."), _("Leave the feed's setSpec empty.")
    ),
    "oai.badArgument": Message(
        _("The provider refused the request: %(reason)s (badArgument)."),
        _("Check the feed's set and dates. The “probe” command shows what the provider accepts."),
    ),
    "oai.no_answer": Message(_("The response from %(url)s is incomplete: %(reason)s."), ASK_PROVIDER),
    "oai.unknown": Message(_("The provider returned an error that OAI-PMH does not define: %(reason)s."), ASK_PROVIDER),
    "oai.loop": Message(_("The provider keeps sending the same page; reading the list was stopped."), ASK_PROVIDER),
    "oai.unrepeatable": Message(
        _("A page of the list was lost in transmission, and this provider cannot send it again."),
        _(
            "The list is read again from the start automatically. If it fails in the same way, start "
            "the harvest again later."
        ),
    ),
    "oai.list_short": Message(
        _("The list ended after %(received)s of %(size)s records, and the rest could not be retrieved by date either."),
        _(
            "Ask the provider why the resumptionToken is missing in the middle of the list. The "
            "records received were stored."
        ),
    ),
    "oai.set_gone": Message(
        _("The provider no longer lists the set “%(set)s”. Nothing was deleted."),
        _("Ask the provider what happened to the set, and change or stop the feed."),
    ),
    # Observations; the harvest continues.
    "oai.restarted": Message(
        _("The list broke off in the middle (%(reason)s) and was read again from the start."), NOTHING_TO_DO
    ),
    "oai.windows": Message(
        _("The list could not be read in one go (%(why)s); it was requested in date windows."), NOTHING_TO_DO
    ),
    "oai.not_before": Message(
        _(
            "The provider allows only short date windows. The period before its first record (up to "
            "%(until)s) was not requested."
        ),
        _("Nothing is missing if earliestDatestamp in its Identify response is right. Ask the provider to confirm it."),
    ),
    "oai.granularity": Message(
        _("The provider refuses dates in the form %(asked)s; they were sent in the other form."),
        _("Tell the provider that it does not accept the granularity given in its Identify response."),
    ),
    "oai.dates_refused": Message(
        _("The provider refuses all date arguments (from %(asked)s was requested); the whole list was read instead."),
        _("No data is lost, but every harvest is a full one. Ask the provider to support selective harvesting."),
    ),
    "oai.dates_ignored": Message(
        _("%(asked)s was requested, but the provider also sent %(identifier)s, dated %(datestamp)s."),
        _("No data is lost, but more is sent than needed. Tell the provider that from and until are ignored."),
    ),
    "oai.size_differs": Message(
        _("The provider announced %(size)s records (completeListSize) but sent %(received)s."),
        _(
            "If fewer records arrived than announced, missing records are not treated as deleted. Tell the provider that the numbers do not agree."
        ),
    ),
    "oai.duplicates": Message(
        _("%(count)s records were sent twice while the list was read; the list has %(records)s different records."),
        _("Other records may have been skipped as a result. Ask the provider to keep the order of its list stable."),
    ),
    "oai.repaired": Message(
        _("A page contained %(count)s characters that XML does not allow (such as %(found)s); they were repaired."),
        _("Each record concerned has an issue. Ask the provider to remove the characters from its data."),
    ),
    "oai.salvaged": Message(
        _(
            "A page was not well-formed XML (%(reason)s). %(count)s of its records could not be read: "
            "%(identifiers)s. All others were stored."
        ),
        _("The page was saved as received. Send it to the provider so that the records can be corrected."),
    ),
    "oai.junk": Message(
        _("A page contained extra data outside its XML document (%(place)s): “%(text)s”. It was ignored."),
        _("Such data is often a message from the server software. Tell the provider."),
    ),
    "oai.namespace": Message(
        _(
            "The responses use an XML namespace other than that of OAI-PMH 2.0: %(namespace)s. They "
            "could still be read."
        ),
        ASK_PROVIDER,
    ),
    "oai.encoding": Message(
        _(
            "The responses are encoded in %(encoding)s, although OAI-PMH requires UTF-8. They were "
            "read in that encoding."
        ),
        NOTHING_TO_DO,
    ),
    "oai.encoding_of_http": Message(
        _(
            "The responses are not in the encoding that they declare; they were read as "
            "%(encoding)s, as stated in the HTTP header."
        ),
        _("Set the encoding in the feed's settings, and tell the provider."),
    ),
    "oai.encoding_wrong": Message(
        _(
            "The response from %(url)s declares %(encoding)s, but most of its characters are not in that encoding. Read "
            "as %(proposed)s, %(readable)s of the %(count)s records on the page are readable. The page was not stored."
        ),
        _(
            "Set the character encoding %(proposed)s in the feed's settings (with “register”: --encoding %(proposed)s), "
            "and harvest again. Tell the provider, which should send UTF-8."
        ),
    ),
    "oai.encoding_wrong.unknown": Message(
        _(
            "The response from %(url)s declares %(encoding)s, but most of its characters are not in that encoding, nor "
            "in EUC-JP, Shift_JIS or Windows-1252. The page was not stored."
        ),
        _("Ask the provider in which encoding it sends, set it in the feed's settings, and harvest again."),
    ),
    "oai.lists": Message(
        _("A response contains %(count)s lists (<%(verb)s>) instead of one. The records of all lists were read."),
        ASK_PROVIDER,
    ),
    "oai.other_list": Message(
        _("The records arrived in <%(found)s> instead of <%(verb)s>. They could still be read."), ASK_PROVIDER
    ),
    "oai.odd_end": Message(
        _(
            "The request with the token after the last record returned: %(reason)s. All announced "
            "records had been received."
        ),
        NOTHING_TO_DO,
    ),
    "oai.ended_by_error": Message(
        _(
            "The provider announced no list size, and the list ended with an error (%(reason)s) "
            "instead of an empty token."
        ),
        _(
            "The request was repeated once. Records missing from the list are not treated as "
            "deleted. Tell the provider that in OAI-PMH the last part of a list must end with an empty resumptionToken."
        ),
    ),
    "oai.error_beside_records": Message(
        _("A page contains an error in addition to its records (%(reason)s). The records were kept."), ASK_PROVIDER
    ),
    "oai.datestamp": Message(
        _("The datestamp of %(identifier)s is not in an OAI-PMH format: %(datestamp)s."),
        _(
            "This datestamp is stored as received but not used to calculate the range of the next harvest. "
            "Tell the provider."
        ),
    ),
    "oai.datestamp_ahead": Message(
        _("The datestamp of %(identifier)s is in the future: %(datestamp)s."),
        _(
            "This datestamp is not used to calculate the range of the next harvest. Ask the provider to check "
            "the clock of its server."
        ),
    ),
    "oai.response_date": Message(
        _("The responseDate of a response is not a date: %(date)s."),
        _("The clock of this server is used to calculate the range of the next harvest. Tell the provider."),
    ),
    "oai.doctype": Message(
        _(
            "The responses have a document type declaration (DOCTYPE), which OAI-PMH does not provide for. It was ignored."
        ),
        ASK_PROVIDER,
    ),
    "oai.base_url": Message(
        _("In its response to Identify, the provider names another base URL: %(found)s. The registered one was used."),
        _("Ask the provider which address is right. If it has moved, enter the new address in the feed's settings."),
    ),
    "oai.earliest": Message(
        _("In its response to Identify, the provider gives an unusable earliestDatestamp: %(date)s. It was not used."),
        _("Tell the provider. Other harvesters may rely on this date and miss records."),
    ),
    "oai.timestamp": Message(
        _("The headers contain <timestamp> instead of <datestamp>. It was read as the datestamp."),
        _("Ask the provider to name the element datestamp, as OAI-PMH requires."),
    ),
    "oai.method": Message(
        _("The provider refuses the usual request method (status %(status)s); %(method)s was used instead."),
        _("Set the HTTP method of the feed to %(method)s to save one request in each harvest."),
    ),
    "oai": Message(_("The provider returned the OAI-PMH error %(code)s: %(reason)s."), ASK_PROVIDER),
}
