"""What was wrong with ResourceSync documents and what they list."""

from django.utils.translation import gettext_lazy as _

from harvesting.messages.base import ASK_PROVIDER, LATER, NOTHING_TO_DO, Message

_FULL = _("Run a full harvest to be sure that nothing is missing; ask the provider to repair its lists.")
_LISTS = _("Ask the provider to repair its ResourceSync lists.")

RESOURCESYNC: dict[str, Message] = {
    # What ends a run.
    "rs.not_found": Message(
        _("No ResourceSync was found at %(url)s. These addresses were tried: %(tried)s."),
        _(
            "Give the address of the Source Description, usually /.well-known/resourcesync, "
            "or of a Capability List or Resource List."
        ),
    ),
    "rs.not_resourcesync": Message(
        _("%(url)s answers, but not with a ResourceSync document: %(found)s."),
        _("Give the address of the Source Description, of a Capability List or of a list, not that of a web page."),
    ),
    "rs.no_list": Message(
        _("%(url)s speaks ResourceSync, but offers no list that could be harvested."),
        _("Ask the provider for a Resource List, a Change List or a Resource Dump."),
    ),
    "rs.unknown_set": Message(
        _("The source has no set “%(set)s”. It has: %(available)s."),
        _("Change setSpec of the feed to one of these, or leave it empty for everything."),
    ),
    "rs.format": Message(
        _("The source lists no metadata in the format “%(prefix)s”."),
        _("Change the metadataPrefix of the feed; “probe” shows the formats that there are."),
    ),
    "rs.not_metadata": Message(
        _("%(url)s is no metadata, and no link leads from it to its metadata."),
        _("Give the URL of the metadata as it stands in the Resource List."),
    ),
    "rs.down": Message(
        _("%(count)s resources in a row could not be had (%(reason)s, last %(url)s): the server seems to be down."),
        LATER,
    ),
    "rs.stale_list": Message(
        _("%(count)s listed resources in a row are not there, last %(url)s. The list seems to be out of date."), _LISTS
    ),
    "rs.too_many_entries": Message(
        _("%(url)s has more than %(most)s entries."),
        _("Ask the provider to split the list under an index; the protocol allows 50,000 entries for each."),
    ),
    "rs.token": Message(
        _("The place where the harvest stopped cannot be read (it is that of another version)."),
        _("Start the harvest again; what has been stored stays."),
    ),
    # What is told of a run that goes on.
    "rs.elsewhere": Message(
        _("There is nothing at %(url)s. The ResourceSync source of the whole host was read instead: %(found)s."),
        _("Check the address. If the whole host is meant, register %(found)s."),
    ),
    "rs.formats": Message(
        _("%(url)s lists the same records in several formats (%(formats)s). Only %(taken)s was taken."),
        _("To take another one, enter it as the metadataPrefix of the feed."),
    ),
    "rs.other_host": Message(
        _("%(url)s is on another provider's host and was not followed."),
        _("If it belongs to this provider, register it as a feed of its own."),
    ),
    "rs.nested_index": Message(
        _("%(url)s is an index inside an index, which the protocol does not know. It was not followed."), _LISTS
    ),
    "rs.list_missing": Message(_("The list %(url)s could not be read (%(reason)s). The others were."), _FULL),
    "rs.wrong_capability": Message(
        _("%(url)s says that it is “%(capability)s”; “%(expected)s” was expected. It was read all the same."), _LISTS
    ),
    "rs.bad_entry": Message(_("%(url)s has entries without a usable address. They were left out."), _LISTS),
    "rs.loop": Message(_("An index lists %(url)s twice, or itself. It was read once."), NOTHING_TO_DO),
    "rs.plain_sitemap": Message(
        _("%(url)s is an ordinary Sitemap without ResourceSync elements. It was read as a list of all resources."),
        _("Deletions and changes can only be told by comparing it as a whole. Ask the provider for a Change List."),
    ),
    "rs.no_date": Message(
        _("%(url)s does not say up to when it is complete (at, from). The dates of its entries were used instead."),
        _LISTS,
    ),
    "rs.long_list": Message(
        _("%(url)s has %(count)s entries; the protocol allows 50,000. All were read."), NOTHING_TO_DO
    ),
    "rs.gap": Message(
        _("The change lists of %(url)s do not reach back to %(since)s. Everything was read instead."),
        _("Harvest more often, or ask the provider to keep its change lists longer."),
    ),
    "rs.by_lastmod": Message(
        _("%(url)s has no change list. What is new was told by lastmod; deletions show in full harvests only."),
        _("Let the feed harvest everything at intervals."),
    ),
    "rs.no_baseline": Message(
        _("%(url)s has no list of everything, only of changes. All of these were read."),
        _("Older records may be missing. Ask the provider for a Resource List or a Resource Dump."),
    ),
    "rs.instead": Message(_("%(url)s cannot be used (%(reason)s). The other lists were read instead."), ASK_PROVIDER),
    "rs.manifest": Message(
        _("The package %(url)s has no usable manifest.xml (%(reason)s)."), _("Ask the provider to repair its dump.")
    ),
    "rs.package": Message(
        _("The package %(url)s is not the one that the dump lists: %(reason)s."),
        _("Ask the provider to repair its dump."),
    ),
    "rs.unlisted": Message(
        _("The package %(url)s holds %(count)s files that its manifest does not list, for example %(member)s."),
        _("They were not read. Ask the provider to repair its dump."),
    ),
    "rs.list_changed": Message(
        _("%(url)s has changed while it was being read. It was read again from its start."), NOTHING_TO_DO
    ),
    "rs.list_unstable": Message(
        _("%(url)s is another list each time it is asked for. Nothing was concluded from what is absent."), _LISTS
    ),
    "rs.failed": Message(
        _("%(count)s listed resources could not be had, for example %(url)s. They are in the error report."),
        _("The next harvest asks for them again."),
    ),
    "rs.skipped_content": Message(
        _("%(count)s listed resources are contents (PDF, images …), not metadata. They were left out."), NOTHING_TO_DO
    ),
    "rs.skipped_page": Message(
        _("%(count)s listed resources are web pages without a link to their metadata. They were left out."),
        _("Ask the provider to list its metadata, or to link to them by rel=“describedby”."),
    ),
    "rs.skipped_format": Message(
        _("%(count)s listed resources are in other formats than the one wanted. They were left out."), NOTHING_TO_DO
    ),
    "rs": Message(_("The source has a fault in its ResourceSync lists (%(code)s): %(url)s."), ASK_PROVIDER),
}
