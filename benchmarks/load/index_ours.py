"""Builds the search index of the load site as `reindex` does, with the tables for suggestions.

`load.site` starts it as `python -m benchmarks.load.index_ours BOOKS`, with AGGREGATOR_DATA set: the tables for
suggestions are in the site's cache. With 0 for a site that is there: indexes what an earlier load test left.
"""

import sys
from itertools import batched

import django

django.setup()  # the modules below need the settings

from django.conf import settings  # noqa: E402

from aggregator.search.tantivy.engine import TantivyIndex  # noqa: E402
from aggregator.tasks import index  # noqa: E402
from benchmarks.load.made_books import documents  # noqa: E402

BATCH = 1000


def main(count: int) -> None:
    if not count:
        index()
        return
    whole = TantivyIndex(settings.SEARCH_DIR)
    with whole.build_beside() as fresh:
        for batch in batched(documents(count), BATCH):
            fresh.update(batch)
    whole.tidy()


if __name__ == "__main__":
    main(int(sys.argv[1]))
