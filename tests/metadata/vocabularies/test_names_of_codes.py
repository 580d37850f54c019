"""The tables of names are complete, and what is no table is refused."""

import pytest

from metadata.formats.jpcoar.terms import ACCESS_RIGHTS, CONTRIBUTOR_TYPES
from metadata.vocabularies import resource_types, terms
from metadata.vocabularies.access import ACCESS, access_keys
from metadata.vocabularies.countries import COUNTRIES
from metadata.vocabularies.countries import NAMES as COUNTRY_NAMES
from metadata.vocabularies.dcndl import LANGUAGES, Label
from metadata.vocabularies.labels import FOLDER, read_labels
from metadata.vocabularies.licences import LICENCES, conditions_of, licence_of
from metadata.vocabularies.ndc import CLASSES, MAIN, ndc_class


@pytest.mark.parametrize("table", sorted(path.stem for path in FOLDER.iterdir()))
def test_every_table_is_read(table: str) -> None:
    assert all(label.ja.strip() == label.ja and label.en.strip() == label.en for label in read_labels(table).values())


@pytest.mark.parametrize("line", ["jpn\t日本語", "jpn\t\tJapanese", "eng\t英語\tEnglish\tmore", "kor\t朝鮮語\tKorean"])
def test_a_mistake_in_a_table_is_named(tmp_path, line: str) -> None:
    (tmp_path / "own.tsv").write_text(f"kor\t韓国語\tKorean\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"own.tsv: line 2"):
        read_labels("own", tmp_path)


def test_every_class_of_two_digits_has_a_name_and_a_main_class() -> None:
    two_digits = {f"{number:02}" for number in range(100)}
    assert {number for number in CLASSES if len(number) < 3} == two_digits | set(MAIN)
    assert len(CLASSES) > 1000


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("209", "世界史・文化史"),
        ("913.6", "小説・物語（日本文学）"),
        ("119", "哲学各論"),
        ("9", "文学"),
        ("007.6", "情報学・情報科学"),
    ],
)
def test_a_class_has_its_own_name_or_that_of_the_class_around_it(number: str, name: str) -> None:
    found = ndc_class(number)
    assert found is not None
    assert found.ja == name


def test_what_is_no_class_has_no_name() -> None:
    assert ndc_class("K913") is None
    assert ndc_class("") is None


def test_every_language_that_is_recognised_has_a_name() -> None:
    assert set(LANGUAGES.values()) <= set(terms.LANGUAGES)
    assert len({label.ja for label in terms.LANGUAGES.values()}) == len(terms.LANGUAGES)
    assert len({label.en for label in terms.LANGUAGES.values()}) == len(terms.LANGUAGES)


def test_every_country_has_a_name() -> None:
    assert set(COUNTRY_NAMES) == set(COUNTRIES)


def test_every_term_of_jpcoar_has_a_name() -> None:
    old = {"periodical", "conference object"}
    assert {resource_types.resource_type(term) for term in resource_types.RESOURCE_TYPES} == (
        {*resource_types.RESOURCE_TYPES} - old
    )
    assert all(terms.role(kind) for kind in CONTRIBUTOR_TYPES)
    assert all(access_keys(term) for term in (*ACCESS_RIGHTS, *ACCESS_RIGHTS.values()))


@pytest.mark.parametrize(
    ("written", "term"),
    [
        ("http://purl.org/coar/resource_type/c_6501", "journal article"),
        ("info:eu-repo/semantics/doctoralThesis", "doctoral thesis"),
        ("紀要論文", "departmental bulletin paper"),
        ("Book chapter", "book part"),
        ("Thesis or Dissertation", "thesis"),
        ("Inaugural Address", ""),
    ],
)
def test_types_of_other_vocabularies_are_recognised(written: str, term: str) -> None:
    assert resource_types.resource_type(written) == term


@pytest.mark.parametrize(
    ("statement", "keys"),
    [
        ("open access", ("open",)),
        ("http://purl.org/coar/access_right/c_14cb", ("metadata",)),
        ("info:eu-repo/semantics/closedAccess", ("metadata",)),
        ("インターネット公開（保護期間満了）", ("internet",)),
        ("国立国会図書館/図書館送信参加館・個人送信限定", ("persons", "libraries")),
        ("図書館送信参加館内公開", ("libraries",)),
        ("国立国会図書館/歴史的音源配信参加館内公開", ("recordings",)),
        ("国立国会図書館内限定公開", ("premises",)),
        ("館内限定公開", ("premises",)),
        ("図書館・個人送信対象外", ()),
        ("S01P99U99", ()),
        ("S03P01U99", ("premises",)),
        ("貸出可", ()),
    ],
)
def test_statements_about_access_are_recognised(statement: str, keys: tuple[str, ...]) -> None:
    assert access_keys(statement) == keys
    assert set(keys) <= set(ACCESS)


@pytest.mark.parametrize(
    ("statement", "licence"),
    [
        ("https://creativecommons.org/licenses/by-nc-nd/2.1/jp/", ("cc-by-nc-nd", "CC BY-NC-ND 2.1 JP")),
        ("Creative Commons Attribution-Noncommercial-Share Alike", ("cc-by-nc-sa", "CC BY-NC-SA")),
        ("クリエイティブ・コモンズ 表示-改変禁止 4.0 国際", ("cc-by-nd", "CC BY-ND 4.0")),
        ("Public Domain Mark 1.0", ("pdm", "Public Domain Mark 1.0")),
        ("PDM", ("pdm", "Public Domain Mark")),
        ("CC0 1.0 Universal", ("cc0", "CC0 1.0")),
        ("In Copyright - Educational Use Permitted", ("inc-edu", "In Copyright - Educational Use Permitted")),
        ("http://rightsstatements.org/page/NoC-US/1.0/?language=en", ("noc-us", "NoC-US")),
        ("https://creativecommons.org/licenses/by-xx/4.0/", None),
        ("Creative Commons", None),
        ("Copyright retained by author(s)", None),
        ("All of it may be used under CC BY 4.0, except for the pictures, whose owners have to be asked: " * 2, None),
    ],
)
def test_licences_are_recognised(statement: str, licence: tuple[str, str] | None) -> None:
    found = licence_of(statement)
    assert found == licence
    assert found is None or found.key in LICENCES


@pytest.mark.parametrize(
    ("statement", "conditions"),
    [
        ("https://creativecommons.org/licenses/by-nc-sa/4.0/deed.ja", "nc sa"),
        ("http://creativecommons.org/licenses/by-nd/2.1/jp/", "nd"),
        ("https://creativecommons.org/licenses/by/3.0/", ""),
        ("https://creativecommons.org/publicdomain/zero/1.0/", ""),
        ("Available under CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/)", "sa"),
        ("クリエイティブ・コモンズ 表示 - 非営利 - 継承 4.0 国際", "nc sa"),
        ("Creative Commons Attribution-NonCommercial-NoDerivs", "nc nd"),
        ("Non-commercial use only", "nc"),
        ("営利目的の利用はできません", "nc"),
        ("メタデータの改変は認めません", "nd"),
        ("自由に利用できます", ""),
        ("Records by Nancy C. (NC), USA; SA", ""),
        ("", ""),
    ],
)
def test_the_conditions_of_a_licence_are_recognised(statement: str, conditions: str) -> None:
    assert conditions_of(statement) == frozenset(conditions.split())


def test_roles_are_recognised_however_they_are_written() -> None:
    for written in ("edt", "Editor", "http://id.loc.gov/vocabulary/relators/edt", "editor."):
        assert isinstance(terms.role(written), Label), written
    assert terms.role("") is None
