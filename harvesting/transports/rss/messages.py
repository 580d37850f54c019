"""Messages about feeds."""

from harvesting.texts import ASK_PROVIDER, NOTHING_TO_DO, Message, _

MESSAGES: dict[str, Message] = {
    "rss.not_feed": Message(
        _("The response from %(url)s is not a feed: %(found)s."),
        _("Enter the address of the RSS feed itself, not that of a web page about it."),
    ),
    "rss.cut": Message(
        _("The feed at %(url)s is incomplete (line %(line)s: %(reason)s). Nothing from it was stored."),
        ASK_PROVIDER,
    ),
    "rss.loop": Message(_("The feed at %(url)s has an endless series of pages; reading was stopped."), ASK_PROVIDER),
    "rss.no_item": Message(
        _("The feed at %(url)s has no item with the link “%(identifier)s”."),
        _("Feeds contain only recent items. Run a full harvest instead."),
    ),
    "rss.leading_bytes": Message(
        _("The feed at %(url)s contains extra data before its start; it was ignored: “%(start)s”."),
        _("Ask the provider to remove the extra data; it is often an error message from a program."),
    ),
    "rss.trailing_bytes": Message(
        _("The feed at %(url)s contains extra data after its end; it was ignored."),
        _("Ask the provider to remove the extra data; it is often an error message from a program."),
    ),
    "rss.charset": Message(
        _(
            "The feed at %(url)s is not in the encoding that it declares. It was read as "
            "%(charset)s, as stated in the HTTP header."
        ),
        _("Ask the provider to declare the encoding in the XML declaration as well."),
    ),
    "rss.atom": Message(_("%(url)s is an Atom feed. It was read like RSS."), NOTHING_TO_DO),
    "rss.repeated": Message(
        _(
            "%(count)s items of the feed at %(url)s have the same link as another item. Only the "
            "newest item for each link was used."
        ),
        _("Ask the provider to give each item its own link."),
    ),
    "rss.broken_items": Message(
        _("%(count)s items of the feed at %(url)s are not well-formed (%(reason)s). The others were harvested."),
        _("The broken items are listed as errors. Ask the provider to repair them."),
    ),
    "rss.next_elsewhere": Message(
        _("The feed at %(url)s continues on another server (%(next)s). That part was not read."),
        _("If this is intended, register the other address as a separate feed."),
    ),
}
