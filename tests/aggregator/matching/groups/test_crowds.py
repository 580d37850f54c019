"""Books that very many libraries hold, with the mistakes and variants that arise when records are copied."""

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import structs

from aggregator.matching import Features, extract_features, suspect_isbns
from aggregator.matching.comparison.compare import outcomes
from aggregator.matching.groups.partition import partition
from metadata.record import BibliographicRecord
from tests.aggregator.matching.books import book

ISBNS = ("9784003101018", "9784101010014", "9784003101117")
TITLES = ("罪と罰", "罪と罰 : 長編小説", "罪と罰 上", "罪と罰 下", "罪と爵", "白痴")

ACCIDENTS = st.builds(
    book,
    title=st.sampled_from(TITLES),
    isbn=st.sampled_from(["", *ISBNS]),
    author=st.sampled_from(["", "ドストエフスキー", "ドストエフスキイ"]),
    publisher=st.sampled_from(["", "岩波書店", "岩波文庫"]),
    year=st.sampled_from(["", "1999", "2000", "2006"]),
    extent=st.sampled_from(["", "431p", "432p", "341p"]),
)
DESCRIPTIONS = st.lists(st.tuples(ACCIDENTS, st.integers(1, 40)), min_size=2, max_size=12)


def crowd(descriptions: list[tuple[BibliographicRecord, int]]) -> dict[str, Features]:
    rows = [(extract_features(record), copies) for record, copies in descriptions]
    return {f"{place} {copy}": row for place, (row, copies) in enumerate(rows) for copy in range(copies)}


@given(DESCRIPTIONS, st.integers(0, 11))
def test_one_more_copy_never_splits_a_group(descriptions, which) -> None:
    """Except where the copy makes an ISBN suspect, because two volumes share it: those cases are left out."""
    members = crowd(descriptions)
    more = members | {"one more": members[f"{which % len(descriptions)} 0"]}
    assume(suspect_isbns(more.values()).items() <= suspect_isbns(members.values()).items())
    before, after = partition(members).records(), partition(more).records()
    of_record = {name: place for place, group in enumerate(after) for name in group}
    assert all(len({of_record[name] for name in group}) == 1 for group in before)


@given(DESCRIPTIONS)
def test_equal_descriptions_stand_together_or_say_too_little(descriptions) -> None:
    members = crowd(descriptions)
    matched = partition(members)
    for place, (_record, copies) in enumerate(descriptions):
        cores = {matched.core_of[f"{place} {copy}"] for copy in range(copies)}
        assert len(cores) in (1, copies)


def test_the_isbn_of_a_volume_is_no_sign_for_the_few_records_of_another() -> None:
    suspect = {ISBNS[0]: "of 上"}
    first, second, plain = (
        extract_features(book(title, isbn=ISBNS[0])) for title in ("罪と罰 上", "罪と罰 下", "罪と罰")
    )
    in_series = structs.replace(plain, volume="5", parts=("罪と罰",))
    assert outcomes(first, plain, suspect)[0] == ("isbn", "same")
    assert outcomes(second, plain, suspect)[0] == ("isbn", "suspect")
    assert outcomes(first, in_series, suspect)[0] == ("isbn", "same")
