"""Messages about ResourceSync documents and the resources that they list."""

from harvesting.texts import ASK_PROVIDER, LATER, NOTHING_TO_DO, Message, _

_FULL = _("Run a full harvest to be sure that nothing is missing; ask the provider to repair its lists.")
_LISTS = _("Ask the provider to repair its ResourceSync lists.")

MESSAGES: dict[str, Message] = {
    # Errors that end a run.
    "rs.not_found": Message(
        _("No ResourceSync was found at %(url)s. These addresses were tried: %(tried)s."),
        _(
            "Enter the address of the Source Description, usually /.well-known/resourcesync, or of a "
            "Capability List or Resource List."
        ),
    ),
    "rs.not_resourcesync": Message(
        _("The response from %(url)s is not a ResourceSync document: %(found)s."),
        _(
            "Enter the address of the Source Description, a Capability List or another ResourceSync "
            "list, not that of a web page."
        ),
    ),
    "rs.no_list": Message(
        _("%(url)s supports ResourceSync but offers no list that can be harvested."),
        _("Ask the provider for a Resource List, a Change List or a Resource Dump."),
    ),
    "rs.unknown_set": Message(
        _("The provider has no set “%(set)s”. Available sets: %(available)s."),
        _("Change setSpec of the feed to one of these, or leave it empty to harvest everything."),
    ),
    "rs.format": Message(
        _("The provider lists no metadata in the format “%(prefix)s”."),
        _("Change the metadataPrefix of the feed. The “probe” command shows the available formats."),
    ),
    "rs.not_metadata": Message(
        _("%(url)s is not metadata and has no link to its metadata."),
        _("Enter the URL of the metadata as given in the Resource List."),
    ),
    "rs.down": Message(
        _(
            "%(count)s resources in a row could not be retrieved (%(reason)s; last: %(url)s). The "
            "server seems to be down."
        ),
        LATER,
    ),
    "rs.stale_list": Message(
        _("%(count)s listed resources in a row do not exist (last: %(url)s). The list seems to be out of date."),
        _LISTS,
    ),
    "rs.too_many_entries": Message(
        _("%(url)s has more than %(most)s entries."),
        _("Ask the provider to split the list and add an index; the protocol allows 50,000 entries per list."),
    ),
    "rs.token": Message(
        _("The position where the harvest stopped cannot be read (another version of the program saved it)."),
        _("Start the harvest again. Data already stored is kept."),
    ),
    # Observations; the run continues.
    "rs.elsewhere": Message(
        _(
            "There is no ResourceSync data at %(url)s. There is some at %(found)s, but it may belong to other sources, so "
            "nothing was harvested."
        ),
        _("Check the address with the provider. If %(found)s is meant, enter it as the address of the feed."),
    ),
    "rs.no_description": Message(
        _(
            "There is nothing at %(url)s. The list that robots.txt names was read instead: %(found)s. Missing records were "
            "not treated as deleted."
        ),
        _("Ask the provider whether this list is complete. If it is, enter it as the address of the feed."),
    ),
    "rs.formats": Message(
        _("%(url)s lists the same records in several formats (%(formats)s). Only %(taken)s was harvested."),
        _("To harvest another format, enter it as the metadataPrefix of the feed."),
    ),
    "rs.other_host": Message(
        _("%(url)s is on another provider's host and was not read."),
        _("If it belongs to this provider, register it as a separate feed."),
    ),
    "rs.nested_index": Message(
        _("%(url)s is an index inside an index, which the protocol does not allow. It was not read."), _LISTS
    ),
    "rs.list_missing": Message(
        _("The list %(url)s could not be read (%(reason)s). The other lists were read."),
        _("The next harvest reads it again. If it stays unreadable, ask the provider to repair its lists."),
    ),
    "rs.wrong_capability": Message(
        _("%(url)s declares the capability “%(capability)s”; “%(expected)s” was expected. It was read anyway."),
        _LISTS,
    ),
    "rs.bad_entry": Message(_("%(url)s has entries without a usable address. They were left out."), _LISTS),
    "rs.loop": Message(
        _("An index lists %(url)s more than once, or refers to itself. It was read only once."), NOTHING_TO_DO
    ),
    "rs.plain_sitemap": Message(
        _("%(url)s is an ordinary Sitemap without ResourceSync elements. It was read as a list of all resources."),
        _(
            "Changes and deletions can only be detected by comparing complete lists. Ask the "
            "provider for a Change List."
        ),
    ),
    "rs.no_date": Message(
        _(
            "%(url)s does not state the time up to which it is complete (at, from). The dates of its "
            "entries were used instead."
        ),
        _LISTS,
    ),
    "rs.long_list": Message(
        _("%(url)s has %(count)s entries; the protocol allows 50,000. All were read."), NOTHING_TO_DO
    ),
    "rs.gap": Message(
        _("The change lists of %(url)s do not go back to %(since)s. Everything was read instead."),
        _("Harvest more often, or ask the provider to keep its change lists longer."),
    ),
    "rs.gap.outdated": Message(
        _(
            "The change lists of %(url)s do not go back to %(since)s, and its list of everything is even older. Only the "
            "changes listed were read; changes before them may be missing until the provider makes a new list."
        ),
        _("Ask the provider to make a new resource list, and to keep its change lists longer."),
    ),
    "rs.outdated": Message(
        _(
            "The list of everything at %(url)s was made at %(at)s, but changes up to %(since)s have been harvested "
            "already. Newer records were kept, and no missing record was treated as deleted."
        ),
        _("Ask the provider to make a new resource list."),
    ),
    "rs.by_lastmod": Message(
        _(
            "%(url)s has no change list. New records were identified by lastmod; deletions are found "
            "only in full harvests."
        ),
        _("Schedule regular full harvests for the feed."),
    ),
    "rs.no_baseline": Message(
        _("%(url)s has no list of all resources, only lists of changes. All of these were read."),
        _("Older records may be missing. Ask the provider for a Resource List or a Resource Dump."),
    ),
    "rs.instead": Message(_("%(url)s cannot be used (%(reason)s). The other lists were read instead."), ASK_PROVIDER),
    "rs.manifest": Message(
        _("The package %(url)s has no usable manifest.xml (%(reason)s)."),
        _("Ask the provider to correct its Resource Dump."),
    ),
    "rs.package": Message(
        _("The package %(url)s does not match its entry in the Resource Dump: %(reason)s."),
        _("Ask the provider to correct its Resource Dump."),
    ),
    "rs.unlisted": Message(
        _("The package %(url)s contains %(count)s files that its manifest does not list, for example %(member)s."),
        _("Those files were not read. Ask the provider to correct its Resource Dump."),
    ),
    "rs.list_changed": Message(
        _("%(url)s changed while it was being read. It was read again from the beginning."), NOTHING_TO_DO
    ),
    "rs.list_unstable": Message(
        _(
            "%(url)s returns a different list with every request. Records missing from it were "
            "therefore not treated as deleted."
        ),
        _LISTS,
    ),
    "rs.failed": Message(
        _(
            "%(count)s listed resources could not be fetched, for example %(url)s. They are among "
            "the issues of this harvest."
        ),
        _("The next harvest will try to fetch them again."),
    ),
    "rs.skipped_content": Message(
        _("%(count)s listed resources are content files (PDF, images …), not metadata. They were left out."),
        NOTHING_TO_DO,
    ),
    "rs.skipped_page": Message(
        _("%(count)s listed resources are web pages without a link to their metadata. They were left out."),
        _("Ask the provider to list its metadata, or to link to it with rel=“describedby”."),
    ),
    "rs.skipped_format": Message(
        _("%(count)s listed resources are in formats other than the requested one. They were left out."),
        NOTHING_TO_DO,
    ),
    "rs": Message(_("The ResourceSync lists of the provider contain an error (%(code)s): %(url)s."), ASK_PROVIDER),
}
