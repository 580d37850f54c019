"""Messages about what providers push."""

from harvesting.texts import Message, _

MESSAGES: dict[str, Message] = {
    "push.nothing": Message(
        _("Nothing was pushed for this harvest."),
        _("Send the records again: with a token through the interface, or into the folder of the provider."),
    ),
    "push.not_one": Message(
        _("The body for “%(identifier)s” does not contain exactly one record."),
        _("Send one record with PUT; send several as a file with POST."),
    ),
}
