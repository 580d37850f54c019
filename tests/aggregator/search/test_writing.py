"""How every engine handles writes: replace, delete, rebuild, and visibility in other processes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from aggregator.search.base import Document, IndexUnavailable, Query, SearchIndex

Connect = Callable[[], SearchIndex]


def make_document(number: int, title: str) -> Document:
    return Document(id=number, titles=(title,))


def test_an_index_never_written_to_is_empty_and_current(index: SearchIndex) -> None:
    assert index.search(Query(q="猫")).total == index.search(Query()).total == index.count() == 0
    assert index.is_current()


def test_update_replaces_by_id(index: SearchIndex) -> None:
    index.update([make_document(1, "猫"), make_document(2, "犬")])
    index.update([make_document(1, "鳥")])
    assert index.search(Query(q="猫")).total == 0
    assert index.search(Query(q="鳥")).total == 1
    assert index.count() == index.search(Query()).total == 2


def test_of_two_documents_with_one_id_the_last_is_kept(index: SearchIndex) -> None:
    index.update([make_document(1, "猫"), make_document(1, "犬")])
    index.update([make_document(number, "馬") for number in range(2, 1500)] + [make_document(2, "鹿")])
    assert index.count() == 1499
    assert index.search(Query(q="猫")).total == 0
    assert index.search(Query(q="鹿")).total == 1


def test_deleted_documents_are_gone_and_unknown_ids_harmless(index: SearchIndex) -> None:
    index.update([make_document(1, "猫"), make_document(2, "犬")])
    index.delete([1, 99])
    index.delete([])
    assert [number for number, _score in index.search(Query()).hits] == [2]


def test_clear_empties_and_leaves_a_working_index(index: SearchIndex) -> None:
    index.clear()
    index.update([make_document(1, "猫")])
    index.clear()
    assert index.count() == 0
    index.update([make_document(2, "犬")])
    assert index.search(Query()).total == 1


def test_another_reader_sees_each_write_when_it_returns(index: SearchIndex, connect: Connect) -> None:
    reader = connect()
    for number in range(1, 4):
        index.update([make_document(number, "猫")])
        assert reader.search(Query(q="猫")).total == number
    index.delete([1])
    assert reader.count() == 2
    index.clear()
    assert reader.count() == 0


def test_two_writers_take_turns(index: SearchIndex, connect: Connect) -> None:
    other = connect()
    index.update([make_document(1, "猫")])
    other.update([make_document(2, "猫")])
    index.update([make_document(3, "猫")])
    assert other.search(Query(q="猫")).total == 3


def test_a_failed_update_writes_nothing_and_releases_the_lock(index: SearchIndex, connect: Connect) -> None:
    def failing() -> Iterator[Document]:
        yield from (make_document(number, "猫") for number in range(1, 2500))
        raise OSError("the database is gone")

    with pytest.raises(OSError, match="gone"):
        index.update(failing())
    assert index.count() == 0
    connect().update([make_document(1, "犬")])
    assert index.count() == 1


def test_a_new_index_is_visible_only_when_it_is_complete(index: SearchIndex, connect: Connect) -> None:
    reader = connect()
    index.update([make_document(1, "猫")])
    with index.build_beside() as build:
        build.update([make_document(2, "犬"), make_document(3, "鳥")])
        build.update([make_document(4, "馬")])
        assert reader.search(Query(q="猫")).total == 1
        assert reader.search(Query(q="犬")).total == 0
        index.update([make_document(5, "羊")])
        assert reader.count() == 2
    assert reader.search(Query(q="猫")).total == 0
    assert reader.count() == index.count() == 3
    reader.update([make_document(6, "牛")])
    assert index.count() == 4


def test_a_failed_build_leaves_the_live_index(index: SearchIndex, connect: Connect) -> None:
    index.update([make_document(1, "猫")])
    with pytest.raises(OSError, match="disk"), index.build_beside() as build:
        build.update([make_document(2, "犬")])
        raise OSError("disk full")
    assert connect().search(Query(q="猫")).total == 1
    with index.build_beside() as build:
        build.update([make_document(3, "鳥")])
    assert index.count() == 1


def test_documents_with_odd_values_are_accepted(index: SearchIndex) -> None:
    index.update(
        [
            Document(id=1),
            Document(id=2, titles=("", "\0", "😀", "a\tb\nc")),
            Document(id=3, titles=("長" * 70_000,)),
            Document(id=4, titles=("w" * 70_000,), year=99_999, holdings=0),
            Document(id=5, year=-3, types=("", "x" * 500)),
        ]
    )
    assert index.count() == index.search(Query()).total == 5
    assert index.search(Query(q="長長")).total == 1


def test_the_facts_identify_the_live_index(index: SearchIndex, connect: Connect) -> None:
    empty = index.facts()
    assert (empty.generation, empty.documents, bool(empty.engine), bool(empty.shape)) == ("", 0, True, True)
    index.update([make_document(1, "猫")])
    first = index.facts()
    index.update([make_document(2, "犬")])
    index.delete([1])
    again = connect().facts()
    assert again.generation == first.generation != ""
    assert (first.documents, again.documents) == (1, 1)
    assert again.size > 0
    with index.build_beside() as build:
        build.update([make_document(3, "鳥")])
        assert connect().facts().generation == first.generation
    assert connect().facts().generation not in ("", first.generation)
    assert index.facts().documents == 1


def test_one_index_is_built_at_a_time(index: SearchIndex, connect: Connect) -> None:
    with index.build_beside() as build:
        with pytest.raises(IndexUnavailable) as refusal, connect().build_beside():
            pass
        build.update([make_document(1, "猫")])
    assert refusal.value.code == "rebuilding"
    assert index.count() == 1


def test_the_last_of_several_builds_is_live(index: SearchIndex, connect: Connect) -> None:
    names = set()
    for number in (1, 2, 3):
        with connect().build_beside() as build:
            build.update([make_document(number, "猫")])
        names.add(index.facts().generation)
    assert len(names) == 3
    assert [number for number, _score in index.search(Query()).hits] == [3]


def test_a_search_during_a_switch_sees_a_complete_index(index: SearchIndex, connect: Connect) -> None:
    index.update([make_document(1, "猫")])
    seen: list[tuple[int, ...]] = []
    done = threading.Event()

    def read() -> None:
        reader = connect()
        while not done.is_set():
            seen.append(tuple(number for number, _score in reader.search(Query(q="猫"), facets=()).hits))

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _number in range(2)]
        for number in (2, 3, 4):
            with connect().build_beside() as build:
                build.update([make_document(number, "猫"), make_document(number + 10, "犬")])
                index.update([make_document(20, "鳥")])  # into the live index, which is about to be replaced
        done.set()
        for reading in readers:
            reading.result()
    assert set(seen) <= {(1,), (2,), (3,), (4,)}
    assert [number for number, _score in connect().search(Query(q="猫")).hits] == [4]
