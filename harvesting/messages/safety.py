"""Messages about runs that wait for a decision, about the deletion guards, and about the decisions."""

from harvesting.texts import ASK_PROVIDER, NOTHING_TO_DO, Message, _

DECIDE = _(
    "Compare with the provider's own site. Then choose whether to delete the records, on the "
    "page of the harvest or with the command “deletions”. Until then nothing is deleted."
)
ACCEPT = _(
    "Check with the provider. If the list is correct after all, accept it on the page of the "
    "harvest, or with the command “deletions”. Accepting it deletes nothing, because this "
    "list does not say what was deleted. Until then the earlier records stay in use."
)
RESTORE = _("Deleted records can be restored for 90 days, on their pages or with the command “restore_records”.")

SAFETY: dict[str, Message] = {
    "safety.deletions": Message(
        _(
            "%(count)s of %(live)s registered records would be deleted at once, which is unusually "
            "many. These deletions are held; none of them has been carried out. Examples: %(sample)s."
        ),
        DECIDE,
    ),
    "safety.dwindling": Message(
        _(
            "%(count)s more registered records would be deleted. Harvests have already deleted %(lost)s since %(since)s, a "
            "few at a time; together this is an unusually large part of the %(most)s records that there were at most. The "
            "deletions of this harvest are held; none of them has been carried out. Examples: %(sample)s."
        ),
        _(
            "Compare with the provider's own site. Then choose whether to delete the records, on the page of the harvest "
            "or with the command “deletions”; deletions are counted anew from that decision on. Until then nothing is "
            "deleted. The earlier deletions can be undone for 30 days on the pages of their harvests, and single records "
            "for 90 days with the command “restore_records”."
        ),
    ),
    "safety.renamed_most": Message(
        _(
            "The provider seems to have given its records new identifiers: %(count)s of %(live)s registered records "
            "are missing, and %(renamed)s of them have come back under another identifier. Missing: %(sample)s."
        ),
        DECIDE,
    ),
    "safety.renamed_new": Message(
        _(
            "The provider seems to have given its records new identifiers: %(renamed)s new records describe the same as "
            "%(count)s of the %(live)s records that were registered, which would now be registered twice. Old and new "
            "identifiers: %(sample)s."
        ),
        _(
            "Compare some of them with the provider's own site. Then choose whether to delete the old records, on the page "
            "of the harvest or with the command “deletions”. Their permanent links then lead to the new records. "
            "Until then nothing is deleted."
        ),
    ),
    "safety.zero": Message(
        _("The list of all records is empty, although %(live)s records are registered. Nothing was deleted."), ACCEPT
    ),
    "safety.drop": Message(
        _("The list of all records has only %(received)s, although %(live)s records are registered."), ACCEPT
    ),
    "safety.drop.held": Message(
        _(
            "The list of all records has only %(received)s, although %(live)s records are "
            "registered. In addition, the provider reports %(count)s deletions. They are held; none "
            "of them has been carried out."
        ),
        DECIDE,
    ),
    "safety.rejected": Message(
        _("%(rejected)s of %(received)s records could not be registered, many more than usual."),
        _(
            "Check the issues of this harvest: a format or an export may have changed. The earlier "
            "versions stay in use. Once the provider has corrected this, harvest again; or accept "
            "the result as it is on the page of the harvest, or with the command “deletions”."
        ),
    ),
    "safety.damaged": Message(
        _(
            "%(damaged)s of %(received)s records contain bytes that are not valid in the declared encoding; they were "
            "replaced by �. %(rejected)s further records could not be registered."
        ),
        _(
            "The provider probably sends another encoding than it declares. Set the real one in the feed's settings (with "
            "“register”: --encoding), reject this result, and harvest everything again. If the damage is "
            "harmless, accept the result on the page of the harvest, or with the command “deletions”."
        ),
    ),
    "safety.lost_text": Message(
        _(
            "Records were registered although they contain bytes that are not valid in the declared encoding, which were "
            "replaced by �."
        ),
        _(
            "The issues of these records show the bytes. Ask the provider to send UTF-8. An earlier version without "
            "such damage is never replaced by a damaged one."
        ),
    ),
    "safety.all_rejected": Message(
        _("All %(received)s records had errors; none could be registered."),
        _("Check the issues: in most cases the metadataPrefix of the feed does not match what the provider sends."),
    ),
    "safety.confirmed": Message(
        _("%(user)s confirmed the result of this harvest; %(count)s records were deleted."),
        RESTORE,
    ),
    "safety.confirming": Message(
        _(
            "%(user)s confirmed the deletion of %(count)s records. They are being deleted in the "
            "background; so far %(done)s have been deleted."
        ),
        _("Nothing needs to be done; the harvest counts as finished when all of them have been deleted."),
    ),
    "safety.accepted": Message(
        _("%(user)s accepted the result of this harvest as it is. No records had to be deleted."),
        NOTHING_TO_DO,
    ),
    "safety.refused": Message(
        _("%(user)s rejected the result of this harvest; the %(count)s records that it would have deleted are kept."),
        NOTHING_TO_DO,
    ),
    "safety.dropped": Message(
        _("%(user)s discarded this harvest because its list looked wrong. The earlier records stay in use."),
        _("The next harvest fetches everything that this one should have fetched."),
    ),
    "safety.deleted": Message(
        _("Registered records were deleted because the provider reported their deletion."),
        RESTORE,
    ),
    "safety.renamed": Message(
        _(
            "%(renamed)s missing records have come back under another identifier. Once the old "
            "records are deleted, their permanent links lead to the new ones."
        ),
        _("Ask the provider never to change its identifiers (OAI-PMH 2.4)."),
    ),
    "safety.nameless": Message(
        _(
            "%(rejected)s records had an identifier that could not be read. They may be among the "
            "%(absent)s records that seem to be missing, so nothing was deleted."
        ),
        _(
            "Check the issues of this harvest and ask the provider to correct these records. The "
            "next full harvest without such records will compare the list again."
        ),
    ),
    "safety.unlisted": Message(
        _(
            "%(stored)s records are registered, but the list of all records has only %(listed)s of them. The provider "
            "says that it reports deletions, but it reported none for the others. Nothing was deleted."
        ),
        _(
            "Ask the provider whether the other records still exist. Once it has corrected its list "
            "or reports the deletions, harvest everything again, on the page of the feed or with the "
            "command “harvest”."
        ),
    ),
    "safety.renumbered": Message(
        _(
            "The provider seems to have given its records new identifiers: %(created)s records are "
            "new, and only %(listed)s of the %(stored)s registered records are in the list. The old "
            "records were not deleted, so many books may be registered twice."
        ),
        _(
            "Ask the provider to report the old identifiers as deleted, or to restore them. Then "
            "harvest everything again, on the page of the feed or with the command “harvest”. If "
            "there are many deletions, you will be asked to confirm them first."
        ),
    ),
    "safety.size": Message(
        _(
            "The provider announced %(announced)s records, but %(received)s were received (each counted "
            "once, even if sent repeatedly). Missing records were therefore not treated as deleted."
        ),
        ASK_PROVIDER,
    ),
    "safety.clash": Message(
        _(
            "Records with different contents were received under the same identifier, for example "
            "%(identifier)s. Only one of them was registered."
        ),
        _("Ask the provider to give every record a unique identifier."),
    ),
    "safety.silent": Message(
        _("No new or changed record has been received since %(since)s."),
        _("Ask the provider whether its export is still running."),
    ),
    "safety.unharvested": Message(
        _("No harvest of this feed has succeeded since %(since)s."),
        _("See the most recent harvests of this feed for the reason."),
    ),
}
