"""One rule for every field, nothing lost, nothing said twice, whatever the order."""

import random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merge import RULES, merge
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    Subject,
    Title,
)

RICH = BibliographicRecord(
    uri="http://example.jp/1",
    titles=(Title(value="学問のすすめ"),),
    creators=(Agent(name="福沢, 諭吉, 1835-1901"),),
    publishers=(Agent(name="岩波書店", location="東京"),),
    issued="1942",
    languages=("jpn",),
    extents=("206p",),
    items=(Item(holding_agent="A"),),
    notes=("初版は明治5年",),
    subjects=(Subject(value="人生訓", scheme="NDLSH"),),
)
THIN = BibliographicRecord(
    titles=(Title(value="學問ノスヽメ".replace("ヽ", "ス"), transcription="ガクモン ノ ススメ"),),
    issued="1942-12",
    creators=(Agent(name="福澤諭吉著", transcription="フクザワ ユキチ"),),
    publishers=(Agent(name="株式会社岩波書店"),),
    identifiers=(Identifier(scheme="ISBN", value="9784003310236"),),
    items=(Item(holding_agent="B"),),
    subjects=(Subject(value="人生訓", scheme="NDLSH", uri="http://id.ndl.go.jp/auth/ndlsh/1"),),
)


def test_a_single_record_is_returned_itself() -> None:
    assert merge([RICH]) is RICH


def test_every_field_has_a_rule() -> None:
    assert tuple(RULES) == BibliographicRecord.__struct_fields__


def test_the_best_record_gives_the_title_and_others_its_reading() -> None:
    assert merge([THIN, RICH]).titles == (Title(value="学問のすすめ", transcription="ガクモン ノ ススメ"),)


def test_persons_and_publishers_are_named_once() -> None:
    merged = merge([THIN, RICH])
    assert [each.name for each in merged.creators] == ["福澤諭吉著"]
    assert [each.name for each in merged.publishers] == ["岩波書店"]


def test_a_person_has_the_identifiers_and_affiliations_that_anybody_knows() -> None:
    orcid = (Identifier(scheme="ORCID", value="0000-0001-0002-0003"),)
    one = BibliographicRecord(creators=(Agent(name="例, 太郎", transcription="レイ, タロウ", role="著", uri="u"),))
    two = BibliographicRecord(creators=(Agent(name="例太郎", identifiers=orcid, affiliations=(Agent(name="例大学"),)),))
    [creator] = merge([one, two]).creators
    assert (creator.transcription, creator.uri) == ("レイ, タロウ", "u")
    assert (creator.identifiers, [each.name for each in creator.affiliations]) == (orcid, ["例大学"])


def test_a_file_an_award_and_a_conference_are_named_once_in_their_fullest_form() -> None:
    one = BibliographicRecord(
        files=(File(uri="https://x.example.jp/1.pdf"),),
        fundings=(Funding(funder=Agent(name=""), award=Identifier(value="JP15H02781")),),
        conferences=(Conference(names=(Title(value="例会議"),), start="2016"),),
    )
    two = BibliographicRecord(
        files=(File(uri="https://x.example.jp/1.pdf", type="fulltext"), File(uri="https://x.example.jp/2.pdf")),
        fundings=(
            Funding(
                funder=Agent(name="例財団"),
                award=Identifier(scheme="JGN", value="JP15H02781"),
                titles=(Title(value="研究"),),
            ),
        ),
        conferences=(Conference(names=(Title(value="例会議"),), start="2016", country="JPN"),),
    )
    merged = merge([one, two])
    assert merged.files == two.files
    assert merged.fundings == two.fundings
    assert merged.conferences == two.conferences


def test_the_fuller_form_of_a_subject_stays() -> None:
    assert merge([RICH, THIN]).subjects == THIN.subjects


def test_what_only_one_record_knows_is_kept() -> None:
    merged = merge([RICH, THIN])
    assert merged.identifiers == THIN.identifiers
    assert (merged.notes, merged.extents, merged.languages) == (RICH.notes, RICH.extents, RICH.languages)


def test_every_copy_is_listed_and_the_same_copy_once() -> None:
    assert [item.holding_agent for item in merge([RICH, THIN, RICH]).items] == ["A", "B"]


def test_the_most_exact_date_that_agrees_is_taken() -> None:
    assert merge([RICH, THIN]).issued == "1942-12"
    assert merge([RICH, msgspec.structs.replace(THIN, issued="1950-01")]).issued == "1942"


def test_an_articles_publication_is_not_mixed() -> None:
    a = BibliographicRecord(host=Host(title="図書", volume="1"), titles=(Title(value="x"),), issued="1990")
    b = BibliographicRecord(host=Host(title="圖書", pages="1-3"))
    assert merge([b, a]).host == a.host


def test_merging_what_is_merged_changes_nothing() -> None:
    once = merge([RICH, THIN])
    assert merge([once, RICH, THIN]) == once


_WORDS = st.sampled_from(["", "学問", "學問", "ガクモン", "abc", "ABC"])
_RECORDS = st.builds(
    BibliographicRecord,
    uri=_WORDS,
    issued=st.sampled_from(["", "1942", "1942-12", "1950"]),
    titles=st.lists(st.builds(Title, value=_WORDS, transcription=_WORDS), max_size=2).map(tuple),
    creators=st.lists(st.builds(Agent, name=_WORDS, role=_WORDS, uri=_WORDS), max_size=2).map(tuple),
    notes=st.lists(_WORDS, max_size=2).map(tuple),
    items=st.lists(st.builds(Item, call_number=_WORDS), max_size=2).map(tuple),
)


@given(st.lists(_RECORDS, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(records: list[BibliographicRecord], dice: random.Random) -> None:
    shuffled = records.copy()
    dice.shuffle(shuffled)
    assert merge(shuffled) == merge(records)
