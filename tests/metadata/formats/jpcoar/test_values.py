"""Forms of values that JPCOAR's schema wants, and what the writer makes of those of other formats."""

import pytest

from metadata.formats import WRITERS
from metadata.formats.jpcoar.write.source import bare_number, split_pages
from metadata.formats.jpcoar.write.values import (
    is_country,
    is_date,
    is_language,
    is_positive,
    is_within,
    iso639,
    language_tag,
    page_numbers,
)
from metadata.record import (
    Agent,
    BibliographicRecord,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    License,
    MaterialType,
    Relation,
    Subject,
    Title,
)
from metadata.xml.parsing import parse
from tests.metadata.formats.jpcoar.test_write import elements, notes, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2016", True),
        ("2016-02", True),
        ("2016-02-29", True),
        ("2016-02-29T10:00Z", True),
        ("2016-02-29T10:00:00+09:00", True),
        ("2016/2017", True),
        ("2016/", True),
        ("/2017", True),
        ("16", False),
        ("2016-2", False),
        ("2016年", False),
        ("", False),
    ],
)
def test_dates_and_periods(text, expected):
    assert is_date(text) is expected


@pytest.mark.parametrize(("text", "expected"), [("1", True), ("012", True), ("0", False), ("-1", False), ("１", False)])
def test_positive_numbers(text, expected):
    assert is_positive(text) is expected


def test_codes_have_three_letters():
    assert [text for text in ("JPN", "jpn", "JP", "JPNX", "J1N", "ＪＰＮ") if is_country(text)] == ["JPN"]
    assert [text for text in ("JPN", "jpn", "jp", "jpnx", "j1n", "ｊｐｎ") if is_language(text)] == ["jpn"]
    assert [iso639(text) for text in ("jpn", "Japanese", "other", "")] == ["jpn", "jpn", "und", "und"]


@pytest.mark.parametrize(
    ("text", "tag"),
    [("ja", "ja"), (" ja_JP ", "ja-JP"), ("zh-Hant-TW", "zh-Hant-TW"), ("日本語", ""), ("j", ""), ("", "")],
)
def test_tags_of_languages(text, tag):
    assert language_tag(text) == tag


def test_languages_are_written_with_the_codes_of_iso_639_3():
    root = written(languages=("ger", "jpn", "eng", "fre", "jpn"))
    assert [text for text, _ in elements(root, "language")] == ["deu", "jpn", "eng", "fra"]


@pytest.mark.parametrize(
    ("fields", "title"),
    [
        ({"display_title": "心"}, "心"),
        ({"alternatives": (Title(value=""), Title(value="別題"))}, "別題"),
        ({"series": (Title(value="叢書"),)}, "叢書"),
        ({"volumes": (Title(value="上"),)}, "上"),
        ({}, "[無題]"),
    ],
)
def test_a_record_without_a_title_gets_one(fields, title):
    assert elements(written(titles=(), **fields), "title")[0][0] == title


def test_coordinates():
    assert [text for text in ("180", "-180", "+1.5", "180.1", "-180.1", "", "東", "１") if is_within(text, 180)] == [
        "180",
        "-180",
        "+1.5",
    ]


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("590-593", ("590", "593")),
        ("p590～593", ("590", "593")),
        ("pp. 590 – p. 593.", ("590", "593")),
        ("５９０頁", ("590", "")),
        ("0-3", ("", "")),
        ("巻末", ("", "")),
        ("1-3, 7", ("", "")),
    ],
)
def test_first_and_last_pages(text, pages):
    assert page_numbers(text) == pages


@pytest.mark.parametrize(
    ("text", "pages"), [("3", ("3", "")), ("3-5", ("3", "5")), ("A-1-A-5", ("A-1", "A-5")), ("1-2-3", ("1-2-3", ""))]
)
def test_pages_are_split_at_the_middle_hyphen(text, pages):
    assert split_pages(text) == pages


def test_a_number_loses_its_words():
    assert [bare_number(text) for text in ("第12巻", "Vol. 3", "12", "12巻3号")] == ["12", "3", "12", "12巻3号"]


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("", {}),
        ("Editor", {"contributorType": "Editor"}),
        ("edt", {"contributorType": "Editor"}),
        ("[訳]", {"contributorType": "Translator"}),
        ("Supervisor.", {"contributorType": "Supervisor"}),
        ("発売", {"contributorType": "Distributor"}),
        ("ペン", {"contributorType": "Other"}),
    ],
)
def test_a_role_becomes_a_type_of_contributor(role, kind):
    assert elements(written(contributors=(Agent(name="例太郎", role=role),)), "contributor") == [("", kind)]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("open access", "open access"),
        ("info:eu-repo/semantics/openAccess", "open access"),
        ("info:eu-repo/semantics/closedAccess", "restricted access"),
        ("metadata only access", "metadata only access"),
        ("Embargoed Access", "embargoed access"),
    ],
)
def test_access_becomes_a_term_of_coar(text, term):
    root = written(access_rights=(text,))
    assert [text for text, _uri in elements(root, "accessRights")] == [term]
    assert elements(root, "rights") == []


def test_other_statements_of_access_are_rights():
    root = written(access_rights=("館内のみ",), rights=("無断転載禁止",))
    assert elements(root, "accessRights") == []
    assert [text for text, _uri in elements(root, "rights")] == ["無断転載禁止", "館内のみ"]


def test_a_licence_is_written_once_at_the_place_of_its_text():
    by = License(uri="https://creativecommons.org/licenses/by/4.0/", label="CC BY")
    other = License(uri="https://example.jp/terms")
    root = written(rights=("CC BY", "注意"), licenses=(other, by))
    found = [
        (element.text or "", element.get(f"{{{element.nsmap['rdf']}}}resource")) for element in root.iter("{*}rights")
    ]
    assert found == [("CC BY", by.uri), ("注意", None), ("", other.uri)]


def test_publishers_with_details_are_blocks_and_the_first_has_the_countries():
    publishers = (Agent(name="東大", transcription="トウダイ", role="版元", location="東京"), Agent(name="京大"))
    root = written(publishers=publishers, publication_places=("JP", "日本"))
    assert [text for text, _ in elements(root, "publisherName")] == ["東大", "トウダイ", "京大"]
    assert [text for text, _ in elements(root, "publisherDescription")] == ["版元"]
    assert [text for text, _ in elements(root, "location")] == ["東京"]
    assert [text for text, _ in elements(root, "publicationPlace")] == ["JPN", "日本"]
    assert [len(block) for block in root if block.tag.endswith("}publisher")] == [6, 1]
    assert [text for text, _ in elements(written(publication_places=("JP",)), "publicationPlace")] == ["JPN"]


def test_publishers_with_names_only_are_texts():
    root = written(publishers=(Agent(name="東大", language="ja"), Agent(name="京大", language="ja")))
    assert [text for text, _ in elements(root, "publisher")] == ["東大", "京大"]
    assert elements(root, "publisherName") == []


@pytest.mark.parametrize(
    ("label", "uri", "term"),
    [
        ("journal article", "", "journal article"),
        ("periodical", "", "journal"),
        ("report part", "", "article"),
        ("", "http://ndl.go.jp/ndltype/Map", "map"),
        ("図書", "", "book"),
        ("巻物", "", "other"),
    ],
)
def test_a_type_becomes_a_term_of_the_newest_version(label, uri, term):
    root = written(material_types=(MaterialType(label=label, uri=uri),))
    assert [text for text, _uri in elements(root, "type")] == [term]


def test_a_record_without_a_type_is_of_another():
    assert [text for text, _uri in elements(written(material_types=()), "type")] == ["other"]


def test_subjects_have_a_scheme_that_jpcoar_has():
    schemes = ("NDC10", "BSH", "FAST", "")
    root = written(subjects=tuple(Subject(value="猫", scheme=scheme) for scheme in schemes))
    assert [kinds["subjectScheme"] for _text, kinds in elements(root, "subject")] == ["NDC", "BSH", "Other", "Other"]


def test_dates_have_their_types_and_plain_ones_their_form():
    root = written(
        issued="1979", other_dates=(Date(type="created", value="© 1980"), Date(type="dateGranted", value="1981"))
    )
    assert elements(root, "date") == [("1979", {"dateType": "Issued"}), ("1980", {"dateType": "Created"})]
    assert elements(root, "dateGranted") == [("1981", {})]


def test_the_identifiers_of_a_record_in_their_order():
    root = written(
        uri="https://a.example/1",
        identifiers=(Identifier(scheme="DOI", value="10.1/a", printed="10.1/A"),),
        invalid_identifiers=(
            Identifier(scheme="HDL", value="https://x.example/"),
            Identifier(scheme="ISBN", value="1"),
        ),
        see_also=("https://hdl.handle.net/1/2", "https://a.example/2", "https://a.example/a.pdf"),
        files=(File(uri="https://a.example/a.pdf", type="fulltext"),),
        registrations=(Identifier(scheme="JaLC", value="10.1/a", printed="10.1/A"),),
    )
    assert elements(root, "identifier") == [
        ("https://doi.org/10.1/A", {"identifierType": "DOI"}),
        ("https://x.example/", {"identifierType": "HDL"}),
        ("https://a.example/1", {"identifierType": "URI"}),
        ("https://hdl.handle.net/1/2", {"identifierType": "HDL"}),
        ("https://a.example/2", {"identifierType": "URI"}),
    ]
    assert elements(root, "identifierRegistration") == [("10.1/A", {"identifierType": "JaLC"})]


def test_a_record_without_an_address_has_its_file_or_a_number_as_identifier():
    file = (File(uri="https://a.example/a.pdf", type="fulltext"),)
    assert elements(written(files=file), "identifier") == [("https://a.example/a.pdf", {"identifierType": "URI"})]
    (made,) = elements(written(), "identifier")
    assert made[0].startswith("urn:uuid:")
    assert elements(written(), "identifier") == [made]
    isbn = (Identifier(scheme="ISBN", value="9784101010014"),)
    assert elements(written(identifiers=isbn), "identifier") == [
        ("http://iss.ndl.go.jp/isbn/9784101010014", {"identifierType": "URI"})
    ]


def test_of_several_files_the_first_with_an_address_is_the_identifier():
    addresses = ("", *(f"https://a.example/{number}.pdf" for number in range(9)))
    files = tuple(File(uri=address, type="fulltext") for address in addresses)
    assert elements(written(files=files), "identifier") == [("https://a.example/0.pdf", {"identifierType": "URI"})]


def test_numbers_of_the_record_are_relations():
    numbers = tuple(
        Identifier(scheme=scheme, value=value)
        for scheme, value in (("ISBN", "9784101010014"), ("JPNO", "12345678"), ("TRC", "7"), ("", "8"))
    )
    root = written(identifiers=numbers, series=(Title(value="文庫"),))
    assert [kinds for _text, kinds in elements(root, "relation")] == [{"relationType": "isPartOf"}] + [
        {"relationType": "isIdenticalTo"}
    ] * 4
    assert elements(root, "relatedTitle") == [("文庫", {})]
    assert elements(root, "relatedIdentifier") == [
        ("978-4-10-101001-4", {"identifierType": "ISBN"}),
        ("http://id.ndl.go.jp/jpno/12345678", {"identifierType": "URI"}),
        ("TRC:7", {"identifierType": "Local"}),
        ("8", {"identifierType": "Local"}),
    ]


@pytest.mark.parametrize(
    ("place", "element"),
    [
        ("east=135; north=35", "geoLocationPoint"),
        ("westlimit=122; eastlimit=154; southlimit=20; northlimit=46", "geoLocationBox"),
        ("east=181; north=35", "geoLocationPlace"),
        ("east=135; north=91", "geoLocationPlace"),
        ("east=135", "geoLocationPlace"),
        ("京都", "geoLocationPlace"),
    ],
)
def test_a_place_is_a_point_a_box_or_a_name(place, element):
    (location,) = written(spatial=(place,)).iter("{*}geoLocation")
    assert [child.tag.rpartition("}")[2] for child in location] == [element]


def test_the_host_and_its_numbers():
    host = Host(
        title="図書",
        language="ja",
        titles=(Title(value="Books", language="en"),),
        volume="第12巻",
        issue="3号",
        pages="3-9",
        issn=("03875911", "12345679"),
        identifiers=(Identifier(scheme="PISSN", value="03875911"), Identifier(scheme="NCID", value="AN00000085")),
    )
    root = written(
        host=host, invalid_identifiers=(Identifier(scheme="ISSN", value="1"), Identifier(scheme="URI", value="x"))
    )
    assert elements(root, "sourceIdentifier") == [
        ("0387-5911", {"identifierType": "PISSN"}),
        ("AN00000085", {"identifierType": "NCID"}),
        ("1234-5679", {"identifierType": "ISSN"}),
        ("1", {"identifierType": "ISSN"}),
    ]
    assert [text for text, _ in elements(root, "sourceTitle")] == ["図書", "Books"]
    assert [elements(root, name) for name in ("volume", "issue", "pageStart", "pageEnd")] == [
        [("12", {})],
        [("3", {})],
        [("3", {})],
        [("9", {})],
    ]


def test_the_number_of_pages_is_no_extent():
    root = written(extents=("12p", "図版"))
    assert (elements(root, "numPages"), [text for text, _ in elements(root, "extent")]) == ([("12", {})], ["図版"])
    root = written(extents=("xii, 12p",))
    assert (elements(root, "numPages"), [text for text, _ in elements(root, "extent")]) == ([], ["xii, 12p"])


def test_pictures_and_media_types_that_no_file_has_are_files():
    files = (File(uri="https://a.example/1.jpg", type="thumbnail", media_type="image/jpeg"),)
    root = written(
        files=files,
        thumbnails=("https://a.example/1.jpg", "https://a.example/2.jpg"),
        formats=("image/jpeg", "text/html"),
    )
    assert [text for text, _ in elements(root, "URI")] == ["https://a.example/1.jpg", "https://a.example/2.jpg"]
    assert [text for text, _ in elements(root, "mimeType")] == ["image/jpeg", "text/html"]


def test_a_funder_without_a_name_is_named_by_its_number():
    numbers = (Identifier(scheme="ROR", value="https://ror.org/1"),)
    for funder, name in ((Agent(name="", identifiers=numbers), "ROR https://ror.org/1"), (Agent(name=""), "[不明]")):
        root = written(fundings=(Funding(funder=funder, award=Identifier(scheme="JGN", value="JP1")),))
        assert [text for text, _ in elements(root, "funderName")] == [name]
        assert elements(root, "awardNumber") == [("JP1", {"awardNumberType": "JGN"})]


def test_values_that_have_not_their_form_are_descriptions():
    assert notes(other_dates=(Date(type="created", value="昭和の頃"),)) == ["日付(Created) : 昭和の頃"]
    assert notes(dataset_series="はい") == ["データセットシリーズ : はい"]
    assert notes(dataset_series="True") == []
    holder = (Agent(name="例太郎", identifiers=(Identifier(scheme="ORCID", value="0000-0002-1825-0097"),)),)
    assert notes(creators=holder) == []


def test_a_term_that_an_older_version_lacks_is_left_out_or_replaced():
    record = BibliographicRecord(
        titles=(Title(value="猫"),),
        material_types=(MaterialType(label="magazine article"),),
        other_dates=(Date(type="coverage", value="2020"), Date(type="created", value="2020/2021")),
        relations=(
            Relation(type="references", scheme="RRID", number="RRID:1", label="鼠"),
            Relation(type="hasVersion", term="hasTranslation", uri="https://a.example/1"),
        ),
    )
    newest, second, first = (parse(WRITERS[name].write(record)) for name in ("jpcoar", "jpcoar_2.0", "jpcoar_1.0"))
    assert [elements(root, "type")[0][0] for root in (newest, second, first)] == [
        "magazine article",
        "article",
        "article",
    ]
    dates = [[kinds.get("dateType") for _text, kinds in elements(root, "date")] for root in (newest, second, first)]
    assert dates == [["Coverage", "Created"], ["Created"], []]
    terms = [
        [kinds.get("relationType") for _text, kinds in elements(root, "relation")] for root in (newest, second, first)
    ]
    assert terms == [["references", "hasTranslation"], ["references", "hasVersion"], ["references", "hasVersion"]]
    kinds = [elements(root, "relatedIdentifier")[0][1]["identifierType"] for root in (newest, second, first)]
    assert kinds == ["RRID", "Local", "Local"]
