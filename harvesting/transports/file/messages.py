"""Messages about files."""

from harvesting.texts import Message, _

_EXPORT_AGAIN = _("Export or copy the file again, and restart the harvest.")
_CHECK_HEADINGS = _("In the feed's column settings, enter what each heading stands for, for example: 書名 = title.")

MESSAGES: dict[str, Message] = {
    "file.missing": Message(
        _("The file %(path)s cannot be opened (%(reason)s)."),
        _("Enter an address beginning with https://, or the absolute path of a file that the aggregator can read."),
    ),
    "file.not_a_file": Message(
        _("%(path)s is not a file but a folder or a device."), _("Enter the path of a single file.")
    ),
    "file.too_large": Message(
        _("The file %(path)s is larger than %(most)s megabytes."), _("Split the file into smaller ones.")
    ),
    "file.not_readable": Message(
        _("%(file)s cannot be read. Content found: %(found)s."),
        _(
            "Supported formats: XML, MARC (ISO 2709), CSV or TSV, JSON Lines, and ZIP or gzip "
            "archives of these. Save spreadsheets as CSV."
        ),
    ),
    "file.unknown_xml": Message(
        _("%(file)s contains no readable records; it begins with %(found)s."),
        _("Check the format. DC-NDL (RDF), oai_dc, MARCXML, RSS, and OAI-PMH or SRU responses can be read."),
    ),
    "file.unknown_encoding": Message(
        _("The encoding “%(encoding)s” set for the feed is not supported."),
        _("Enter, for example, UTF-8, Shift_JIS or EUC-JP."),
    ),
    "file.encoding": Message(
        _("The text in %(file)s is not encoded in %(encoding)s."),
        _("Save the file as UTF-8, or set its encoding in the feed's settings."),
    ),
    "file.encoding_guessed": Message(
        _("%(file)s is not in UTF-8. It was read as %(encoding)s."),
        _("If characters are garbled, set the encoding in the feed's settings."),
    ),
    "file.columns_many": Message(
        _("The first line of %(file)s has more than %(most)s columns."),
        _("Check that the first line contains the headings and that the line breaks are correct."),
    ),
    "file.no_columns": Message(
        _("No heading in the first line of %(file)s is recognised. The headings are: %(headings)s."), _CHECK_HEADINGS
    ),
    "file.no_title": Message(
        _("No column of %(file)s was recognised as the title. The headings are: %(headings)s."), _CHECK_HEADINGS
    ),
    "file.columns_unused": Message(_("These columns of %(file)s were not used: %(headings)s."), _CHECK_HEADINGS),
    "file.columns_missing": Message(
        _("These columns are registered for the feed but missing from %(file)s: %(headings)s."),
        _("Check whether the headings of the file have been changed."),
    ),
    "file.table_broken": Message(
        _("Too many rows of %(file)s are malformed; the last one is at %(place)s (%(reason)s)."),
        _("Check the quotation marks and the separator, and export the table again."),
    ),
    "file.cut": Message(
        _("%(file)s ends unexpectedly at %(place)s. The records before that point were stored."), _EXPORT_AGAIN
    ),
    "file.beginning": Message(
        _("%(file)s is large: only its first %(megabytes)s megabytes were read for this sample."),
        _("The sample says nothing about the rest of the file. A harvest reads all of it."),
    ),
    "file.no_record": Message(_("There is no record “%(identifier)s” in %(file)s."), _("Check the identifier.")),
    "file.no_records": Message(_("There are no records in %(file)s."), _("Check whether this is the right file.")),
    "file.one_page": Message(
        _("%(file)s is one page of a longer list: it ends with a resumptionToken."),
        _("Put all pages into one archive. Records missing from this file are not treated as deleted."),
    ),
    "file.unnamed": Message(
        _("%(count)s records of %(file)s are so badly damaged that even their identifiers could not be read."),
        _("These records are listed as errors. No record was treated as deleted because of them."),
    ),
    "file.broken_records": Message(
        _("%(file)s is not well-formed XML (%(reason)s). Its records were read one by one."),
        _("The broken records are listed as errors. Ask the provider to repair them."),
    ),
    "file.marc_length": Message(
        _(
            "%(count)s records of %(file)s state a length that differs from their actual length. "
            "They were read up to their end marks."
        ),
        _("Nothing needs to be done if the records look right; older systems sometimes calculate the length wrongly."),
    ),
    "file.marc_utf8": Message(
        _("%(count)s records of %(file)s are in UTF-8 though their leader says MARC-8."),
        _("Set leader position 09 to “a” when exporting."),
    ),
    "file.broken_member": Message(
        _("%(member)s in the archive cannot be read (%(reason)s). The other files were read."),
        _("Replace this file and harvest again. Until then, missing records are not treated as deleted."),
    ),
    "file.nested": Message(
        _("The archive contains another archive, %(member)s, which was not opened."),
        _("Put the files themselves into one archive."),
    ),
    "file.skipped": Message(
        _("The archive contains %(member)s, which is not a file of records (%(found)s). It was skipped."),
        _("Nothing needs to be done if it is documentation or something similar."),
    ),
}
