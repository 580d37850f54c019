"""Kills processes while they hand DOIs over: `python -m tests.harvesting.doi.killed`.

Prints what had arrived at JaLC, and what is known of the delivery, when other processes have gone on. On a database of
its own, because a killed process must leave something behind that another one finds.
"""

import json
import os
from typing import Any

from tests.durability import stage

PLACES = ("doi.before_sending", "doi.after_sending", "doi.after_noting")


def main() -> None:
    with stage.new_site(HARVEST_ALLOWED_NETWORKS="127.0.0.0/8", HARVEST_MIN_PAUSE="0"):
        print(json.dumps({place: _trial(place) for place in PLACES}))


def _trial(place: str) -> dict[str, Any]:
    """Kill a process at a place, then go on as the surviving processes do."""
    from django.conf import settings  # noqa: PLC0415

    from harvesting.doi import deliveries, states  # noqa: PLC0415
    from harvesting.models import DoiAgreement, DoiDelivery, RequestedDoi  # noqa: PLC0415
    from tests.harvesting.doi.fake_jalc import running  # noqa: PLC0415
    from tests.harvesting.doi.papers import harvest, new_provider, paper  # noqa: PLC0415

    name = place.rpartition(".")[2]
    feed = new_provider(hand_over="api", credentials=deliveries.seal_login("user", "password"))
    harvest(feed, paper(name))
    states.check_changed()
    agreement = DoiAgreement.objects.get(repository=feed.repository)
    deliveries.prepare(agreement, rehearsal=True)
    deliveries.prepare(agreement, rehearsal=False)
    with running() as jalc:
        settings.JALC_URL, jalc.worked_off = jalc.server.url, True

        def work() -> None:
            os.environ["HARVEST_KILL_AT"] = place
            deliveries.work_off()

        assert stage.was_killed(stage.wait(stage.fork(work))), place
        for _step in range(3):
            DoiDelivery.objects.filter(ended_at=None).update(due=agreement.repository.created)
            deliveries.work_off()
            states.check_changed()
            deliveries.prepare_automatically()
    delivery = DoiDelivery.objects.filter(repository=feed.repository, rehearsal=False).get()
    row = RequestedDoi.objects.get(repository=feed.repository)
    return {"arrived": jalc.sent.count(name), "delivery": delivery.state, "doi": row.state}


if __name__ == "__main__":
    main()
