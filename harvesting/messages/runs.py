"""Messages about the course and the end of runs."""

from harvesting.texts import ASK_PROVIDER, LATER, NOTHING_TO_DO, Message, _

RUNS: dict[str, Message] = {
    "run.active": Message(
        _("Harvest %(harvest)s of this feed is not finished."),
        _("Wait until it ends. If its worker has failed, the harvest can be resumed after 90 seconds."),
    ),
    "run.unapproved": Message(
        _("Staff have not approved this provider yet, so it is not harvested."),
        _("Harvesting starts automatically once it is approved."),
    ),
    "run.pushed": Message(
        _("Nothing can be fetched from this provider: it sends its records itself."),
        _("To bring records again, it pushes them again: its page “Pushing records” says how."),
    ),
    "run.live": Message(
        _("This catalogue is a live source. Nothing is harvested from it."),
        _("Run a test search instead: “Live search” on the page of the provider."),
    ),
    "run.lease_lost": Message(_("Another worker has taken over this harvest."), NOTHING_TO_DO),
    "run.gave_way": Message(
        _("The harvest lets others that wait have their turn."),
        _("Nothing has to be done: it continues where it stopped."),
    ),
    "run.stopped": Message(_("The harvest was stopped manually."), _("Start it again to continue where it stopped.")),
    "run.attempts": Message(
        _("The harvest was started %(attempts)s times but never finished."),
        _("The operator can find the reason in the log of the worker."),
    ),
    "run.unknown_protocol": Message(
        _("The protocol of the feed at %(url)s is not supported by this installation."),
        _("The operator can add its transport. Nothing was requested, and stored data is kept."),
    ),
    "run.internal": Message(
        _("An internal error occurred in the aggregator (%(reason)s)."),
        _("The operator can find the reason in the log. The harvest resumes automatically."),
    ),
    "run.database": Message(
        _("The page received could not be stored (%(reason)s). No data has been lost."),
        _("The operator should check the database and the free disk space. The harvest resumes automatically."),
    ),
    "run.paused": Message(
        _("The harvest was paused manually."), _("The harvest continues when somebody resumes it. Stored data is kept.")
    ),
    "run.cancelled": Message(
        _("The harvest was cancelled manually."), _("Stored data is kept; the next harvest fetches the rest.")
    ),
    "run.superseded": Message(
        _("This harvest was replaced by a newer one."), _("Stored data is kept. Nothing needs to be done.")
    ),
    "run.quiet": Message(
        _("The quiet hours of this feed have begun; until they end, no requests are sent to the provider."), LATER
    ),
    "run.waited": Message(_("The harvest had to wait for the provider and was resumed later."), NOTHING_TO_DO),
    "run.schemas": Message(
        _("The records were also checked against the official schema (XSD) of their format, where one is installed."),
        NOTHING_TO_DO,
    ),
    "run.no_schemas": Message(
        _("The records were not checked against official schemas (XSD), because none are installed."),
        _("All other checks were made. The operator can install schemas with the command “fetch_schemas”."),
    ),
    "run.clock_skew": Message(
        _("The clocks of the provider and of this server differ by %(minutes)s minutes."),
        _(
            "Nothing is lost: the earlier of the two times is used. Inform the provider, and check "
            "the clock of this server."
        ),
    ),
    "run.empty": Message(
        _("The list of all records at %(base_url)s is empty."),
        _(
            "Check the base URL, the set and the metadataPrefix of the feed, and ask the provider whether it has records."
        ),
    ),
    "run.no_end": Message(_("The list ended before it was complete."), ASK_PROVIDER),
    "run.gaps": Message(
        _("Parts of the list could not be fetched: %(windows)s."),
        _(
            "The data received has been stored. To fetch the missing parts, harvest everything again "
            "on the page of the feed, or fetch only the gaps with the command “harvest”."
        ),
    ),
    "run.rests": Message(
        _("The last %(failures)s harvests of this feed failed, so harvesting is suspended until %(until)s."),
        _(
            "After that, one short request tests whether the provider is available again. You can "
            "start a harvest manually at any time."
        ),
    ),
}
