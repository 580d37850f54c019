"""Why a run waits for a person, what the guards noticed, and what a person decided."""

from django.utils.translation import gettext_lazy as _

from harvesting.messages.base import ASK_PROVIDER, NOTHING_TO_DO, Message

DECIDE = _(
    "Compare with the provider's own site. Then confirm or refuse on the page of the harvest, or with the command "
    "“deletions”. Until then nothing is deleted."
)
ACCEPT = _(
    "Ask the provider. If the list is right after all, accept it on the page of the harvest, or with the command "
    "“deletions”. Accepting deletes nothing, because this list does not say what was deleted. Until then the earlier "
    "records stay in use."
)
RESTORE = _("Deleted records can be restored for 90 days, on their pages or with the command “restore_records”.")

SAFETY: dict[str, Message] = {
    "safety.deletions": Message(
        _(
            "%(count)s of %(live)s registered records would be deleted at once, which is unusually many. These "
            "deletions wait; none of them has been carried out. Among them: %(sample)s."
        ),
        DECIDE,
    ),
    "safety.renamed_most": Message(
        _(
            "The provider seems to have given its records new identifiers: %(count)s of %(live)s registered records "
            "are missing, and %(renamed)s of them have come back under another identifier. Missing: %(sample)s."
        ),
        DECIDE,
    ),
    "safety.zero": Message(
        _("The list of all records is empty, although %(live)s records are registered. Nothing was deleted."), ACCEPT
    ),
    "safety.drop": Message(
        _("The list of all records has only %(received)s, although %(live)s records are registered."), ACCEPT
    ),
    "safety.drop.held": Message(
        _(
            "The list of all records has only %(received)s, although %(live)s records are registered. Besides, the "
            "provider reports %(count)s deletions, which wait; none of them has been carried out."
        ),
        DECIDE,
    ),
    "safety.rejected": Message(
        _("%(rejected)s of %(received)s records had to be rejected, many more than usual."),
        _(
            "Look at the issues of this harvest: a format or an export may have changed. The earlier versions stay in "
            "use. When the provider has repaired it, harvest again; or accept it as it is on the page of the harvest, "
            "or with the command “deletions”."
        ),
    ),
    "safety.all_rejected": Message(
        _("All %(received)s records were rejected; nothing could be registered."),
        _("Look at the issues: most often the metadataPrefix of the feed does not fit what the provider sends."),
    ),
    "safety.confirmed": Message(
        _("%(user)s confirmed what this harvest found; %(count)s records were deleted."),
        RESTORE,
    ),
    "safety.confirming": Message(
        _(
            "%(user)s confirmed the deletion of %(count)s records. It is carried out in the background; so far "
            "%(done)s have been deleted."
        ),
        _("Nothing needs to be done; the harvest counts as finished when all of them are deleted."),
    ),
    "safety.accepted": Message(
        _("%(user)s accepted what this harvest found as it is. No record had to be deleted for that."),
        NOTHING_TO_DO,
    ),
    "safety.refused": Message(
        _("%(user)s refused what this harvest found; %(count)s records that it would have deleted stay."),
        NOTHING_TO_DO,
    ),
    "safety.dropped": Message(
        _("%(user)s dropped this harvest, because its list looked wrong. The earlier records stay in use."),
        _("The next harvest asks again for everything that this one should have brought."),
    ),
    "safety.deleted": Message(
        _("Registered records were deleted because the provider reported their deletion."),
        RESTORE,
    ),
    "safety.renamed": Message(
        _(
            "%(renamed)s records that are missing have come back under another identifier. Their permanent pages lead "
            "to the new records as soon as the old ones are deleted."
        ),
        _("Ask the provider to keep identifiers for ever (OAI-PMH 2.4)."),
    ),
    "safety.nameless": Message(
        _(
            "%(rejected)s records came with an identifier that could not be read. Each may be one of the %(absent)s "
            "that seem to be missing. Therefore nothing was deleted."
        ),
        _(
            "Look at the issues of this harvest and ask the provider to repair these records. The next full harvest "
            "without such records compares again."
        ),
    ),
    "safety.unlisted": Message(
        _(
            "%(stored)s records are registered, but the list of all records has only %(listed)s of them. The provider "
            "says that it reports deletions, but it reported none for the others. Nothing was deleted."
        ),
        _(
            "Ask the provider whether the other records still exist. When it has repaired its list or reports the "
            "deletions, harvest everything again, on the page of the feed or with the command “harvest”."
        ),
    ),
    "safety.renumbered": Message(
        _(
            "The provider seems to have given its records new identifiers: %(created)s records are new, and the list "
            "has only %(listed)s of the %(stored)s registered now. The old ones were not deleted, so that many books "
            "may be registered twice."
        ),
        _(
            "Ask the provider to report the old identifiers as deleted, or to bring them back. Then harvest "
            "everything again, on the page of the feed or with the command “harvest”. If many deletions come, you "
            "will be asked first."
        ),
    ),
    "safety.size": Message(
        _(
            "The provider announced %(announced)s records and sent %(received)s different ones. Therefore nothing was "
            "concluded from records that are missing."
        ),
        ASK_PROVIDER,
    ),
    "safety.clash": Message(
        _("Different descriptions came under the same identifier, for example %(identifier)s. One of them was kept."),
        _("Ask the provider to give every record an identifier of its own."),
    ),
    "safety.silent": Message(
        _("No new or changed record has come since %(since)s."),
        _("Ask the provider whether its export still runs."),
    ),
    "safety.unharvested": Message(
        _("No harvest of this feed has succeeded since %(since)s."),
        _("Look at its last harvests: the reason stands there."),
    ),
}
