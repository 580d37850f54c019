"""The engine of a server: one index in OpenSearch, which many machines read and write at the same time."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from zlib import crc32

from msgspec.structs import replace

from aggregator.search.analysis.fields import PLACED, WORDED, printed_column, value_field
from aggregator.search.base import FACETS, Document, FacetValue, Facts, IndexUnavailable, Query, QueryError, Results
from aggregator.search.opensearch.address import read_address
from aggregator.search.opensearch.client import Client, Missing
from aggregator.search.opensearch.documents import deletion, lines
from aggregator.search.opensearch.generations import REFRESH, Generations, Turn
from aggregator.search.opensearch.hits import best_ids, page
from aggregator.search.opensearch.mapping import SHAPE
from aggregator.search.opensearch.plan import Json, engine_query
from aggregator.search.opensearch.suggest import suggest
from aggregator.search.plan.alike import alike_plan
from aggregator.search.plan.alternatives import refined, widened
from aggregator.search.plan.facets import ALL_VALUES, FREQUENT, count_facets
from aggregator.search.plan.near import MOST as MOST_NEAR
from aggregator.search.plan.near import near_plans
from aggregator.search.plan.nodes import Constant, Plan
from aggregator.search.plan.query import plan_of
from aggregator.search.query.limits import check_page
from aggregator.search.suggest.entries import Suggestion
from aggregator.search.tree import Phrase, Word

BULK = 5_000_000  # bytes of one request
PATIENCE = "5s"  # that a search may take in OpenSearch
_SEARCH = {"track_total_hits": True, "timeout": PATIENCE, "_source": False, "stored_fields": "_none_"}
# Values that each part of the index proposes, of facets with unlimited values. Counts of rare ones are approximate
# where an index has several parts.
_PROPOSED = 600
_REPLACED = 409  # status of a write that is older than what the index has


class OpenSearchIndex:
    """SearchIndex at the address of SEARCH_URL. refresh: how soon a write becomes visible, at most."""

    def __init__(self, url: str, refresh: str = REFRESH) -> None:
        self._client = Client(read_address(url))
        self._generations = Generations(self._client, refresh)

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        check_page(query)
        plan = plan_of(query)
        try:
            found = page(partial(self._ask, query), plan, query)
        except Missing:
            self._generations.live()
            return Results(total=0, hits=())
        counts = self._counts(query, plan, facets, refined(query)) if found.total else {}
        return Results(total=found.total, hits=found.hits, facets=counts, next=found.following)

    def alternatives(self, query: Query, facets: Sequence[str] = FACETS) -> dict[str, tuple[FacetValue, ...]]:
        result: dict[str, tuple[FacetValue, ...]] = {}
        try:
            for facet, wider in widened(query):
                if facet in facets:
                    result |= self._counts(wider, plan_of(wider), (facet,), refined(query))
        except Missing:
            self._generations.live()
        return result

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        try:
            return suggest(partial(self._ask, Query()), typed)
        except Missing:
            return ()

    def near(self, typed: str) -> tuple[int, ...]:
        ids: dict[int, None] = {}
        try:
            for plan in near_plans(typed):
                ids |= dict.fromkeys(best_ids(partial(self._ask, Query()), plan, MOST_NEAR))
        except Missing:
            return ()
        return tuple(ids)

    def alike(self, traits: Sequence[Word | Phrase], most: int) -> tuple[int, ...]:
        if not traits:
            return ()
        plan = alike_plan(traits, lambda _plan: 0)  # the server passes over books that cannot be among the best
        try:
            return tuple(best_ids(partial(self._ask, Query()), plan, most))
        except Missing:
            return ()

    def tidy(self) -> None:
        self._generations.tidy()

    def count(self) -> int:
        try:
            return int(self._client.ask("GET", f"/{self._generations.alias}/_count")["count"])
        except Missing:
            self._generations.live()
            return 0

    def facts(self) -> Facts:
        engine = f"OpenSearch {self._client.ask('GET', '/')['version']['number']}"
        name = self._generations.live()
        if not name:
            return Facts(engine=engine, shape=SHAPE)
        stats = self._client.ask("GET", f"/{name}/_stats/store")["_all"]["total"]["store"]
        return Facts(engine=engine, shape=SHAPE, generation=name, documents=self.count(), size=stats["size_in_bytes"])

    def is_current(self) -> bool:
        try:
            self._generations.live()
        except IndexUnavailable as problem:
            return problem.code != "outdated"
        return True

    def update(self, documents: Iterable[Document]) -> frozenset[int]:
        version = _now()
        return self._write({document.id: list(lines(document, version)) for document in documents})

    def delete(self, ids: Iterable[int]) -> frozenset[int]:
        version = _now()
        return self._write({number: [deletion(number, version)] for number in ids})

    def clear(self) -> None:
        with self.build_beside():
            pass

    def remove(self) -> None:
        """Remove all indexes of this site."""
        self._generations.remove()

    @contextmanager
    def build_beside(self) -> "Iterator[OpenSearchBuild]":
        with self._generations.building() as turn:
            name = self._generations.create()
            built = False
            try:
                yield OpenSearchBuild(self._client, name, turn)
                self._generations.publish(name)
                built = True
            finally:
                if not built:
                    self._generations.discard(name)

    def _write(self, actions: dict[int, list[bytes]]) -> frozenset[int]:
        if not actions:
            return frozenset()
        if not self._generations.live():
            self._generations.start_first()
        *full, last = _portions(actions)
        written: set[int] = set()
        for portion in full:
            written |= self._send(portion, {})
        return frozenset(written | self._send(last, {"refresh": "wait_for"}))

    def _send(self, portion: list[bytes], options: dict[str, str]) -> set[int]:
        return _written(self._client.bulk(self._generations.alias, portion, {"require_alias": "true", **options}))

    def _counts(
        self, query: Query, plan: Plan, facets: Sequence[str], chosen: dict[str, Sequence[str]]
    ) -> dict[str, tuple[FacetValue, ...]]:
        clause = engine_query(Constant(plan))
        return count_facets(partial(count_fields, partial(self._ask, query), clause), facets, chosen)

    def _ask(self, query: Query, body: Json) -> dict[str, Any]:
        """Search the live index. Raises QueryError for a search that takes too long, and Missing before the first
        document.

        All pages of a query ask the same copy of the index, as long as it is there: copies weigh terms by deleted
        documents too, of which each has others.
        """
        path = f"/{self._generations.alias}/_search"
        copy = f"{crc32(repr(replace(query, page=1, start=0, after='')).encode()):x}"
        options = {"allow_partial_search_results": "false", "preference": copy}
        answer = self._client.ask("POST", path, {**_SEARCH, **body}, options)
        if answer["timed_out"]:
            raise QueryError("too_common", words=query.q)
        return answer


class OpenSearchBuild:
    """An index that is being built. Every id may be added only once."""

    def __init__(self, client: Client, name: str, turn: Turn) -> None:
        self._client = client
        self._name = name
        self._turn = turn

    def update(self, documents: Iterable[Document]) -> None:
        self._turn.show_activity()
        actions = {document.id: list(lines(document, _now())) for document in documents}
        for portion in _portions(actions):
            if len(_written(self._client.bulk(self._name, portion, {}))) * 2 < len(portion):
                raise IndexUnavailable("overloaded", self._name)


def _portions(actions: dict[int, list[bytes]]) -> Iterator[list[bytes]]:
    """The lines of actions in portions of about BULK bytes."""
    portion: list[bytes] = []
    size = 0
    for of_number in actions.values():
        portion += of_number
        size += sum(map(len, of_number))
        if size >= BULK:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _written(results: list[dict[str, Any]]) -> set[int]:
    """The ids of the documents that were written. Raises IndexUnavailable if the index takes nothing now."""
    failed = {result["error"]["type"] for result in results if "error" in result and result["status"] != _REPLACED}
    if "cluster_block_exception" in failed:
        raise IndexUnavailable("read_only", results[0]["_index"])
    return {int(result["_id"]) for result in results if "error" not in result}


def _now() -> int:
    """The version of what is read from the catalogue from now on: microseconds since 1970."""
    return time.time_ns() // 1000


def count_fields(ask: Callable[[Json], dict[str, Any]], clause: Json, fields: Sequence[str]) -> dict[str, Counter[Any]]:
    """The number of hits with each value of these fields."""
    if not fields:
        return {}
    answer = ask({"query": clause, "size": 0, "aggs": {field: {"terms": _terms(field)} for field in fields}})
    return {
        field: Counter({bucket["key"]: bucket["doc_count"] for bucket in counted["buckets"]})
        for field, counted in answer["aggregations"].items()
    }


def _terms(field: str) -> Json:
    if field in WORDED:
        return {"field": printed_column(field), "size": FREQUENT, "shard_size": _PROPOSED}
    name = printed_column(field) if field in PLACED else field if field == "year" else value_field(field)
    return {"field": name, "size": ALL_VALUES}
