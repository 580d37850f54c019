"""What was wrong with RSS feeds and files."""

from django.utils.translation import gettext_lazy as _

from harvesting.messages.base import ASK_PROVIDER, NOTHING_TO_DO, Message

_EXPORT_AGAIN = _("Export or copy the file again, and start the harvest once more.")
_CHECK_HEADINGS = _("Say in the feed's columns which heading holds what, for example: 書名 = title.")

FILES: dict[str, Message] = {
    "schema.none": Message(
        _("%(url)s answers, but not with a schema (%(reason)s)."),
        _("Look at the address in a browser; the file that was in its place stays."),
    ),
    "rss.not_feed": Message(
        _("%(url)s answers, but not with a feed: %(found)s."),
        _("Give the address of the RSS feed itself, not that of a web page about it."),
    ),
    "rss.cut": Message(
        _("The feed at %(url)s breaks off before its end (line %(line)s: %(reason)s). Nothing of it was stored."),
        ASK_PROVIDER,
    ),
    "rss.loop": Message(
        _("The pages of the feed at %(url)s never come to an end; the list was stopped there."), ASK_PROVIDER
    ),
    "rss.no_item": Message(
        _("The feed at %(url)s has no item with the link “%(identifier)s”."),
        _("Feeds only hold what is new; ask for everything instead."),
    ),
    "rss.leading_bytes": Message(
        _("Something stands before the feed at %(url)s and was cut off: “%(start)s”."),
        _("Ask the provider to remove it; it is often a program's error message."),
    ),
    "rss.trailing_bytes": Message(
        _("Something stands behind the end of the feed at %(url)s and was cut off."),
        _("Ask the provider to remove it; it is often a program's error message."),
    ),
    "rss.charset": Message(
        _("The feed at %(url)s is not in the encoding that it declares. It was read as %(charset)s, as HTTP says."),
        _("Ask the provider to declare the encoding in the XML declaration as well."),
    ),
    "rss.atom": Message(_("%(url)s is an Atom feed. It was read like RSS."), NOTHING_TO_DO),
    "rss.repeated": Message(
        _("%(count)s items of the feed at %(url)s have the link of another one. The newest of each was taken."),
        _("Ask the provider to give each item a link of its own."),
    ),
    "rss.broken_items": Message(
        _("%(count)s items of the feed at %(url)s are not well-formed (%(reason)s). The others were harvested."),
        _("The broken items are listed as errors. Ask the provider to repair them."),
    ),
    "rss.next_elsewhere": Message(
        _("The feed at %(url)s goes on at another server (%(next)s), which was not asked."),
        _("If that is right, register the other address as a feed of its own."),
    ),
    "file.missing": Message(
        _("The file %(path)s cannot be opened (%(reason)s)."),
        _("Give an address beginning with https://, or the absolute path of a file that the aggregator may read."),
    ),
    "file.not_a_file": Message(_("%(path)s is not a file but a folder or a device."), _("Give the path of one file.")),
    "file.too_large": Message(
        _("The file %(path)s has more than %(most)s megabytes."), _("Split the file into smaller ones.")
    ),
    "file.not_readable": Message(
        _("%(file)s cannot be read. It is: %(found)s."),
        _(
            "What can be read: XML, MARC (ISO 2709), CSV or TSV, JSON Lines, and ZIP or gzip of these. "
            "Save a spreadsheet as CSV."
        ),
    ),
    "file.unknown_xml": Message(
        _("There are no records that could be read in %(file)s; it begins with %(found)s."),
        _("Check the format: DC-NDL (RDF), oai_dc, MARCXML, RSS, or a response of OAI-PMH or SRU."),
    ),
    "file.unknown_encoding": Message(
        _("The encoding “%(encoding)s” of the feed is not known."), _("Enter for example UTF-8, Shift_JIS or EUC-JP.")
    ),
    "file.encoding": Message(
        _("The text in %(file)s is not in the encoding %(encoding)s."),
        _("Save the file as UTF-8, or enter its encoding in the feed."),
    ),
    "file.encoding_guessed": Message(
        _("%(file)s is not in UTF-8. It was read as %(encoding)s."),
        _("If characters look wrong, enter the encoding in the feed."),
    ),
    "file.columns_many": Message(
        _("The first line of %(file)s has more than %(most)s columns."),
        _("Check that the first line holds the headings and that lines end properly."),
    ),
    "file.no_columns": Message(_("No heading in the first line of %(file)s is known: %(headings)s."), _CHECK_HEADINGS),
    "file.no_title": Message(
        _("No column of %(file)s is taken for the title. The headings are: %(headings)s."), _CHECK_HEADINGS
    ),
    "file.columns_unused": Message(_("These columns of %(file)s were not used: %(headings)s."), _CHECK_HEADINGS),
    "file.columns_missing": Message(
        _("These columns are registered and are not in %(file)s: %(headings)s."),
        _("Check whether the headings of the file have been changed."),
    ),
    "file.table_broken": Message(
        _("Too many rows of %(file)s break off; the last at %(place)s (%(reason)s)."),
        _("Check the quotation marks and the separator, and export the table again."),
    ),
    "file.cut": Message(_("%(file)s breaks off at %(place)s. What comes before it was stored."), _EXPORT_AGAIN),
    "file.no_record": Message(_("There is no record “%(identifier)s” in %(file)s."), _("Check the identifier.")),
    "file.no_records": Message(_("There are no records in %(file)s."), _("Check whether this is the right file.")),
    "file.one_page": Message(
        _("%(file)s is one page of a longer list: it ends with a resumptionToken."),
        _("Put all pages into the archive; nothing is taken for deleted because it is missing here."),
    ),
    "file.unnamed": Message(
        _("%(count)s records of %(file)s are broken so that not even their identifiers could be read."),
        _("They are listed as errors. Nothing was taken for deleted because of them."),
    ),
    "file.broken_records": Message(
        _("%(file)s is not well-formed XML (%(reason)s). Its records were read one by one."),
        _("The broken ones are listed as errors. Ask the provider to repair them."),
    ),
    "file.marc_length": Message(
        _("%(count)s records of %(file)s have another length than they claim. They were read by their end marks."),
        _("Nothing needs to be done if the records look right; old systems calculate the length wrongly."),
    ),
    "file.marc_utf8": Message(
        _("%(count)s records of %(file)s are in UTF-8 though their leader says MARC-8."),
        _("Set leader position 09 to “a” when exporting."),
    ),
    "file.nested": Message(
        _("The archive holds another archive, %(member)s, which was not opened."),
        _("Put the files themselves into one archive."),
    ),
    "file.skipped": Message(
        _("The archive holds %(member)s, which is no file of records (%(found)s). It was passed over."),
        _("Nothing needs to be done if it is a description or the like."),
    ),
}
