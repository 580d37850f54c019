"""Messages about documents of any protocol: XML, schemas."""

from harvesting.texts import ASK_PROVIDER, Message, _

DOCUMENTS: dict[str, Message] = {
    "xml.malformed": Message(
        _(
            "The response from %(url)s is not well-formed XML: line %(line)s, column %(column)s: "
            "%(reason)s. Nothing on this page could be recovered."
        ),
        ASK_PROVIDER,
    ),
    "xml.forbidden": Message(
        _(
            "The response from %(url)s contains a document type or entities, or declares far too "
            "many namespaces. Such documents are rejected for security reasons."
        ),
        ASK_PROVIDER,
    ),
    "schema.none": Message(
        _("The response from %(url)s is not a schema (%(reason)s)."),
        _("Open the address in a browser to check it. The previous file was kept."),
    ),
}
