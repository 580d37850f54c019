"""What was wrong with OAI-PMH answers, and what was odd about them."""

from django.utils.translation import gettext_lazy as _

from harvesting.messages.base import ASK_PROVIDER, NOTHING_TO_DO, Message

OAI_PMH: dict[str, Message] = {
    "xml.malformed": Message(
        _(
            "The answer of %(url)s is not well-formed XML: line %(line)s, column %(column)s: %(reason)s. "
            "Nothing of this page could be saved."
        ),
        ASK_PROVIDER,
    ),
    "xml.forbidden": Message(
        _(
            "The answer of %(url)s contains a document type or entities, or declares far too many namespaces. "
            "Such documents are refused for safety."
        ),
        ASK_PROVIDER,
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
    "oai.no_answer": Message(_("The answer of %(url)s is incomplete: %(reason)s."), ASK_PROVIDER),
    "oai.unknown": Message(
        _("The provider answered with an error that OAI-PMH does not know: %(reason)s."), ASK_PROVIDER
    ),
    "oai.loop": Message(
        _("The provider sends the same page again and again; the list was stopped there."), ASK_PROVIDER
    ),
    "oai.unrepeatable": Message(
        _("A page of the list was lost on the way, and this provider cannot send it again."),
        _("The list is begun again by itself. If it ends like this too, start the harvest again later."),
    ),
    "oai.list_short": Message(
        _("The list ended after %(received)s of %(size)s records, and the others could not be had by date either."),
        _("Ask the provider why its resumptionToken is missing in the middle of the list. What came is stored."),
    ),
    "oai.set_gone": Message(
        _("The provider no longer lists the set “%(set)s”. Nothing was deleted."),
        _("Ask the provider what has become of the set, and change or stop the feed."),
    ),
    # What was noticed without stopping the harvest.
    "oai.restarted": Message(_("The list broke off in the middle (%(reason)s) and was begun again."), NOTHING_TO_DO),
    "oai.windows": Message(
        _("The list could not be read at once (%(why)s); it was asked for in date windows."), NOTHING_TO_DO
    ),
    "oai.not_before": Message(
        _(
            "The provider allows only short date windows. What lies before its first record (%(until)s) was not asked for."
        ),
        _("Nothing is missing if earliestDatestamp in its Identify answer is right. Ask the provider if it is."),
    ),
    "oai.granularity": Message(
        _("The provider refuses dates of the form %(asked)s; they were sent in the other form."),
        _("Tell the provider that the granularity in its Identify answer is not what it accepts."),
    ),
    "oai.dates_refused": Message(
        _("The provider refuses every date (from %(asked)s was asked for); its whole list was read instead."),
        _("Nothing is lost, but each harvest is a full one. Ask the provider to support selective harvesting."),
    ),
    "oai.dates_ignored": Message(
        _("%(asked)s was asked for, but the provider also sent %(identifier)s of %(datestamp)s."),
        _("Nothing is lost, but more is sent than needed. Tell the provider that from and until are not heeded."),
    ),
    "oai.size_differs": Message(
        _("The provider announced %(size)s records (completeListSize) and sent %(received)s."),
        _("Where fewer came than announced, nothing is deleted for being absent. Tell the provider."),
    ),
    "oai.duplicates": Message(
        _("%(count)s records came twice while the list was read; it has %(records)s different ones."),
        _("Some may have been skipped in turn. Ask the provider to keep the order of its list stable."),
    ),
    "oai.repaired": Message(
        _("A page held %(count)s characters that XML forbids (such as %(found)s); they were mended."),
        _("Each record concerned has a message. Ask the provider to remove them at the source."),
    ),
    "oai.salvaged": Message(
        _(
            "A page was not well-formed XML (%(reason)s). %(count)s of its records could not be read: "
            "%(identifiers)s. All others were stored."
        ),
        _("The page is kept as it came; send it to the provider, so that the records can be corrected."),
    ),
    "oai.junk": Message(
        _("Something stood outside the XML document of a page (%(place)s): “%(text)s”. It was cut off."),
        _("It is often a message of the server's programs. Tell the provider."),
    ),
    "oai.namespace": Message(
        _(
            "The answers have another XML namespace than that of OAI-PMH 2.0: %(namespace)s. They were read all the same."
        ),
        ASK_PROVIDER,
    ),
    "oai.encoding": Message(
        _("The answers are written in %(encoding)s, although OAI-PMH demands UTF-8. They were read as such."),
        NOTHING_TO_DO,
    ),
    "oai.encoding_of_http": Message(
        _("The answers are not in the encoding that they declare; they were read as %(encoding)s, as HTTP says."),
        _("Set the encoding of the feed, and tell the provider."),
    ),
    "oai.encoding_wrong": Message(
        _("Most characters of the answers are not %(encoding)s, although they say so; they could not be read."),
        _("Find out the real encoding (often Shift_JIS or EUC-JP), set it in the feed, and harvest in full again."),
    ),
    "oai.lists": Message(
        _("An answer holds %(count)s lists (<%(verb)s>) in place of one. The records of all of them were read."),
        ASK_PROVIDER,
    ),
    "oai.other_list": Message(
        _("The records came in <%(found)s> in place of <%(verb)s>. They were read all the same."), ASK_PROVIDER
    ),
    "oai.odd_end": Message(
        _("The token behind the last record was answered by %(reason)s. All announced records had come."),
        NOTHING_TO_DO,
    ),
    "oai.ended_by_error": Message(
        _("The provider announced no size, and the list ended by an error (%(reason)s) in place of an empty token."),
        _("It was asked once more. Nothing is deleted for being absent. Tell the provider how a list ends in OAI-PMH."),
    ),
    "oai.error_beside_records": Message(
        _("An error stands beside the records of a page (%(reason)s). The records were kept."), ASK_PROVIDER
    ),
    "oai.datestamp": Message(
        _("The datestamp of %(identifier)s has a form that OAI-PMH does not know: %(datestamp)s."),
        _("It is kept as sent, and nothing is reckoned from it. Tell the provider."),
    ),
    "oai.datestamp_ahead": Message(
        _("The datestamp of %(identifier)s lies in the future: %(datestamp)s."),
        _("Nothing is reckoned from it. Ask the provider to check the clock of its server."),
    ),
    "oai.timestamp": Message(
        _("The headers have <timestamp> in place of <datestamp>. It was read as the datestamp."),
        _("Ask the provider to name the element datestamp, as OAI-PMH does."),
    ),
    "oai.method": Message(
        _("The provider refuses the usual way of asking (status %(status)s); it was asked by %(method)s."),
        _("Set the method of the feed to %(method)s to spare a request in each harvest."),
    ),
    "oai": Message(_("The provider answered with the OAI-PMH error %(code)s: %(reason)s."), ASK_PROVIDER),
}
