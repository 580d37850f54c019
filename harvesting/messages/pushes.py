"""Messages about what providers push: why it is not taken."""

from harvesting.texts import Message, _

PUSHES: dict[str, Message] = {
    "push.empty": Message(
        _("The body is empty."),
        _("Send the file itself as the body; with curl: --data-binary @FILE (mind the @)."),
    ),
    "push.form": Message(
        _("The body is a form, not a file of records."),
        _("Send the file itself as the body; with curl: --data-binary @FILE instead of -F."),
    ),
    "push.coding": Message(
        _("The body is encoded as “%(coding)s”, which is not supported."),
        _("Send it as it is, or packed with gzip or ZIP."),
    ),
    "push.too_large": Message(
        _("The body is larger than %(most)s megabytes."),
        _("Pack it with gzip or ZIP, or send only what has changed."),
    ),
    "push.length": Message(
        _("The length of the body is not announced."),
        _("Send the header Content-Length: send a file, not a stream."),
    ),
    "push.unknown": Message(
        _("This provider has no push with this number, or its report has been deleted."),
        _("Reports are kept for 14 days. The last pushes are listed at the address to which files are sent."),
    ),
    "push.short": Message(
        _("The connection ended after %(received)s of %(announced)s bytes."),
        _("Nothing was stored. Send the same request again."),
    ),
    "push.list": Message(
        _("The list of identifiers is not text in UTF-8 with one identifier a line."),
        _("Send one identifier a line, in UTF-8, without headings."),
    ),
    "push.identifier": Message(
        _("The identifier in the address is empty, too long, or contains control characters."),
        _("Use the identifier of the record, percent-encoded, with at most %(most)s characters."),
    ),
    "push.key_reused": Message(
        _("The Idempotency-Key was used before with another request."),
        _("Use a new key for each new request; repeat a key only to repeat the same request."),
    ),
    "push.key": Message(
        _("The Idempotency-Key is too long or contains characters other than printable ASCII."),
        _("Use at most %(most)s characters, for example the date and a number."),
    ),
    "push.token": Message(
        _("This token is unknown or was revoked, or it belongs to another provider."),
        _("Send “Authorization: Bearer TOKEN”. Tokens are made on the page “Pushing records” of the provider."),
    ),
    "push.no_feed": Message(
        _("This provider has no feed for pushed records."),
        _("Begin with pushed records on the page “Pushing records” of the provider."),
    ),
    "push.state": Message(
        _("This provider takes no records at present: it is not approved yet, or it is paused or stopped."),
        _("Its state is shown on its page. Files can be checked at /validate/ meanwhile."),
    ),
    "push.too_many": Message(
        _("The provider has pushed too much in a short time."),
        _("Try again in %(seconds)s seconds. Send many records as one file instead of one by one."),
    ),
    "push.no_space": Message(
        _("The server has no room for the body at present."),
        _("Nothing was stored. Try again later."),
    ),
}
