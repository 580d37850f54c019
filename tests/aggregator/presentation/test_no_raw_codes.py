"""No reader sees a code: every value of a closed vocabulary is shown by its name, or not at all."""

import re
from collections.abc import Iterable, Iterator

import pytest
from django.utils import translation

from aggregator.presentation.field_cells import Cell
from aggregator.presentation.fields import material_types, rows, source_rows
from aggregator.results.value_labels import READERS
from aggregator.search.documents import Holders, document
from metadata.formats.jpcoar.terms import ACCESS_RIGHTS, CONTRIBUTOR_TYPES, VERSION_TYPES
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    Date,
    File,
    Identifier,
    License,
    MaterialType,
    Relation,
    Subject,
    Title,
)
from metadata.vocabularies import terms
from metadata.vocabularies.countries import ALPHA_2
from metadata.vocabularies.dcndl import IDENTIFIER_SCHEMES
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from tests.metadata.formats.test_valid import records_of_samples
from tests.paths import SAMPLES

LANGUAGES = ("ja", "en")
# The rows whose texts, not only notes, come from vocabularies.
TEXTS = {
    *("資料種別", "言語", "原文の言語", "出版国", "資料形態", "版（バージョン）", "アクセス権", "権利", "対象利用者"),
    *("Material type", "Language", "Language of the original", "Country of publication", "Form", "Version"),
    *("Access rights", "Rights", "Audience"),
}
# Words that are codes in whatever field they stand.
CODE = re.compile(
    r"S[0-9]{2}P[0-9]{2}U[0-9]{2}|info:eu-repo/\S+|https?://purl\.org/(?:coar|eprint|dc)/\S+"
    r"|https?://creativecommons\.org/\S+|https?://rightsstatements\.org/\S+"
    r"|(?:application|audio|image|text|video)/[\w.+-]+|NDC(?:8|9|10)|isCitedBy|dateGranted|marcrelator\S*|\w+limit=.*"
)
# Words that are codes where a vocabulary is expected; the names in English may be spelled alike ("Editor").
CODES = (
    {*terms.LANGUAGES, *ALPHA_2, *ALPHA_2.values(), *ACCESS_RIGHTS, *RESOURCE_TYPES}
    | {*VERSION_TYPES, *CONTRIBUTOR_TYPES, *IDENTIFIER_SCHEMES, *terms.SUBJECT_SCHEMES, "aut", "edt", "ill", "creator"}
) - {
    scheme
    for scheme, name in (*terms.IDENTIFIER_SCHEMES.items(), *terms.SUBJECT_SCHEMES.items())
    if name.ja == name.en == scheme
}

BOOK = BibliographicRecord(
    titles=(Title(value="日本の図書館"),),
    creators=(
        Agent(name="例, 太郎", role="edt"),
        Agent(name="例, 花子", role="zzz"),
        Agent(name="例, 次郎", role="編"),
    ),
    contributors=(Agent(name="例, 三郎", role="ProjectLeader"), Agent(name="例, 四郎", role="aut, ill")),
    publishers=(Agent(name="例出版", role="pbl", location="東京"),),
    publication_places=("JP", "ZZ", "東京"),
    languages=("jpn", "gaa", "qqq", "other"),
    original_languages=("eng", "oty"),
    formats=("application/pdf", "application/x-unheard-of", "24cm"),
    audiences=("juvenile", "一般"),
    subjects=(
        Subject(value="209", scheme="NDC9"),
        Subject(value="913.6", scheme="NDC10"),
        Subject(value="UL11", scheme="NDLC"),
        Subject(value="図書館", scheme="NDLSH"),
        Subject(value="Knihovny", scheme="CZENAS"),
    ),
    access_rights=("S01P99U99", "S02P01U99", "図書館・個人送信対象外"),
    identifiers=(
        Identifier(scheme="ISBN", value="9784000000000"),
        Identifier(scheme="NDLBibID", value="000000001"),
        Identifier(scheme="UNHEARDOF", value="1"),
    ),
    invalid_identifiers=(Identifier(scheme="ISBN", value="123"),),
)
PAPER = BibliographicRecord(
    titles=(Title(value="猫の生態"),),
    material_types=(
        MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="departmental bulletin paper"),
        MaterialType(label="info:eu-repo/semantics/unheardOf"),
        MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書"),
    ),
    access_rights=("open access", "http://purl.org/coar/access_right/c_f1cf", "インターネット公開（保護期間満了）"),
    rights=("Creative Commons Attribution 4.0 International", "https://rightsstatements.org/vocab/InC-EDU/1.0/"),
    licenses=(License(uri="https://creativecommons.org/licenses/by/4.0/deed.ja"),),
    version_type="AM",
    files=(File(uri="https://repo.example.jp/1", type="dataset", media_type="text/csv", label="表"),),
    other_dates=(Date(type="dateGranted", value="2017-03-25"), Date(type="unheardOf", value="2018")),
    relations=(Relation(type="relation", term="isCitedBy", scheme="PISSN", number="0000-0000"),),
    conferences=(Conference(names=(Title(value="例会議"),), country="JPN"),),
)


def shown_to_readers(record: BibliographicRecord) -> dict[str, tuple[Cell, ...]]:
    return {row.label: row.cells for row in rows(record, "/search")}


def words(label: str, cells: Iterable[Cell]) -> Iterator[str]:
    """The texts from vocabularies: those of the rows in TEXTS, all notes, and the texts of links."""
    for cell in cells:
        if label in TEXTS:
            yield cell.text
        yield from cell.note.split("; ")
        yield from (link.text for link in cell.links)


def raw(record: BibliographicRecord) -> list[str]:
    """The codes that a reader of the page would see, in Japanese, and those in English that are no words."""
    found = []
    for language in LANGUAGES:
        with translation.override(language):
            cells = shown_to_readers(record)
            texts = [text for label, of_row in cells.items() for text in words(label, of_row)]
            texts += (*material_types(record), *facet_labels(record))
            found += [text for text in texts if CODE.fullmatch(text)]
            found += [text for text in texts if language == "ja" and text in CODES]
    return found


def facet_labels(record: BibliographicRecord) -> Iterator[str]:
    index = document(1, record, Holders())
    fields = {"type": index.types, "language": index.languages, "ndc": index.ndcs, "accessible": index.accessible}
    for name, values in fields.items():
        yield from map(READERS[name], values)


@pytest.mark.parametrize("record", [BOOK, PAPER], ids=["book", "paper"])
def test_no_code_is_shown_of_a_record_with_codes_everywhere(record: BibliographicRecord) -> None:
    assert raw(record) == []


@pytest.mark.slow
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no folder ../shared/samples beside the repository")
def test_no_code_is_shown_of_any_sample() -> None:
    found = {text: path for path, record in records_of_samples() for text in raw(record)}
    assert len(records_of_samples()) > 1000
    assert found == {}


@translation.override("ja")
def test_a_book_is_described_in_words() -> None:
    shown = {label: [(cell.text, cell.note) for cell in cells] for label, cells in shown_to_readers(BOOK).items()}
    assert shown["言語"] == [("日本語", ""), ("ガ語", ""), ("その他の言語", "")]
    assert shown["出版国"] == [("日本", ""), ("東京", "")]
    assert shown["資料形態"] == [("PDF", ""), ("24cm", "")]
    assert shown["著者・編者"] == [("例, 太郎", "編"), ("例, 花子", ""), ("例, 次郎", "編")]
    assert shown["件名・分類"][:3] == [
        ("209 世界史・文化史", "NDC 9版"),
        ("913.6 小説・物語（日本文学）", "NDC 10版"),
        ("UL11 学術一般・ジャーナリズム・図書館・書誌", "国立国会図書館分類表"),
    ]
    assert shown["識別子"][1:] == [("000000001", "国立国会図書館書誌ID"), ("1", "")]


@translation.override("en")
def test_a_paper_is_described_in_words() -> None:
    shown = shown_to_readers(PAPER)
    assert material_types(PAPER) == ["Departmental bulletin paper", "Book"]
    assert [cell.text for cell in shown["Access rights"]] == ["Open access", "Embargoed", "Open on the Internet"]
    [cc, in_copyright] = shown["Rights"]
    assert (cc.text, cc.note, cc.is_badge) == ("CC BY 4.0", "attribution", True)
    assert cc.href == "https://creativecommons.org/licenses/by/4.0/deed.ja"
    assert in_copyright.text == "In copyright, educational use permitted"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "westlimit=-140.4875; eastlimit=109.5; southlimit=60.25; northlimit=75.5",
            "60.25°N–75.5°N, 140.488°W–109.5°E",
        ),
        ("east=123.45; north=-67.89", "67.89°S, 123.45°E"),
        ("チッソ水俣工場正門", "チッソ水俣工場正門"),
    ],
)
def test_coordinates_are_shown_as_people_write_them(written: str, shown: str) -> None:
    (row,) = rows(BibliographicRecord(spatial=(written,)), "/search")
    assert [cell.text for cell in row.cells] == [shown]


@translation.override("en")
def test_the_source_view_has_the_codes_and_the_wrong_identifiers() -> None:
    source = {row.label: [(cell.text, cell.note) for cell in row.cells] for row in source_rows(BOOK, "/search")}
    assert source["Language"] == [("Japanese", ""), ("Ga", ""), ("qqq", ""), ("Other languages", "")]
    assert ("S01P99U99", "") in source["Access rights"]
    assert ("application/x-unheard-of", "") in source["Form"]
    assert ("例, 花子", "zzz") in source["Creator"]
    assert "Identifiers with an error" in source
    assert "Identifiers with an error" not in {row.label for row in rows(BOOK, "/search")}
