"""The public pages of libraries: by region, of one place, and of one library."""

import json
import re
from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.models import Library, LibraryCode, LibraryName
from aggregator.views.libraries import pages

pytestmark = pytest.mark.django_db
EN, JA = {"accept-language": "en"}, {"accept-language": "ja"}
CENTRAL = "大阪府立中央図書館"


@pytest.fixture
def central(shelf) -> Library:
    """A library about which everything is known, and which holds nothing so far."""
    return shelf.library(
        CENTRAL,
        "2127",
        reading="オオサカ フリツ チュウオウ トショカン",
        name_en="Osaka Prefectural Nakanoshima Library",
        kind="prefectural",
        prefecture="27",
        municipality="27100",
        address="大阪府大阪市北区1-2-10",
        latitude=34.69,
        longitude=135.5,
        telephone="06-6745-0170",
        hours="9時から19時\n土日は17時まで",
        closed_days="月曜日",
        page="https://central.example.jp/",
        lends=True,
        ill_terms="返送料は借受館の負担",
        remarks="駐車場なし",
    )


def get(client, path, headers=EN, **asked) -> str:
    answer = client.get(path, asked, headers=headers)
    assert answer.status_code == 200
    return answer.text


def test_the_list_counts_the_libraries_of_every_prefecture(client, shelf, central):
    shelf.library("堺市立図書館", "3001", prefecture="27", municipality="27140")
    shelf.library("どこかの図書館", "3002")
    page = get(client, "/libraries/")
    assert page.count('href="/libraries/?region=27"') == 2  # on the map and in the list
    assert 'aria-label="Osaka 2 libraries"' in page
    assert 'href="/libraries/?region=none"' in page
    assert "?region=13" not in page
    assert "大阪府" in get(client, "/libraries/", headers=JA)


def test_merged_and_closed_libraries_are_not_listed(client, shelf, central):
    shelf.library("統合された図書館", "3001", prefecture="27", merged_into=central)
    shelf.library("閉館した図書館", "3002", prefecture="27", closed_on=date(2020, 3, 31))
    page = get(client, "/libraries/", region="27")
    assert re.findall(r'data-name="([^"]*)"', page) == ["Osaka Prefectural Nakanoshima Library"]


def test_a_prefecture_lists_its_libraries_by_municipality(client, shelf, central):
    shelf.library("堺市立図書館", "3001", prefecture="27", municipality="27140")
    shelf.library("東大阪市立図書館", "3003", prefecture="27", municipality="27227")
    shelf.library("東京の図書館", "3002", prefecture="13")
    page = get(client, "/libraries/", headers=JA, region="27")
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["大阪市", "堺市", "その他の市区町村"]
    assert "東京の図書館" not in page
    assert "堺市立図書館" in get(client, "/libraries/", region="27140")
    assert CENTRAL not in get(client, "/libraries/", headers=JA, region="27140")


def test_a_library_of_no_known_place_is_listed_too(client, shelf, central):
    shelf.library("どこかの図書館", "3002", prefecture="99")
    page = get(client, "/libraries/", region="none")
    assert "どこかの図書館" in page and CENTRAL not in page


@pytest.mark.parametrize("text", ["中央", "大阪 中央", "おおさか", "nakanoshima", "2127", "北区"])
def test_a_library_is_found_by_name_reading_code_and_place(client, shelf, central, text):
    shelf.library("港区立みなと図書館", "2103", prefecture="13")
    assert re.findall(r'data-library="(.*?)"', get(client, "/libraries/", q=text)) == [f"L{central.pk}"]


def test_nothing_found_is_said(client, shelf, central):
    page = get(client, "/libraries/", q="札幌")
    assert "0 libraries" in page and "Try fewer words" in page


def test_long_lists_have_pages_that_keep_the_question(client, shelf, monkeypatch):
    monkeypatch.setattr(pages, "PAGE", 2)
    for number in range(3):
        shelf.library(f"図書館{number}", f"30{number:02}", prefecture="27")
    first = get(client, "/libraries/", region="27")
    assert 'href="?q=&amp;region=27&amp;page=2"' in first
    assert get(client, "/libraries/", region="27", page=2).count("library-entry") == 1


@pytest.mark.parametrize("asked", [{"region": "x"}, {"region": "48"}, {"page": "0"}, {"q": "a\x00"}, {"kind": "x"}])
def test_a_wrong_question_is_refused_with_the_reason(client, asked):
    assert client.get("/libraries/", asked).status_code == 400


def test_the_page_of_a_library_shows_everything(client, central):
    page = get(client, f"/libraries/L{central.pk}", headers=JA)
    texts = (CENTRAL, "オオサカ フリツ", "Osaka Prefectural", "都道府県立", "大阪府大阪市北区1-2-10", "06-6745-0170")
    for text in (
        *texts,
        "9時から19時<br>土日は17時まで",
        "月曜日",
        "返送料は借受館の負担",
        "駐車場なし",
        "図書館コード",
        "2127",
    ):
        assert text in page, text
    assert 'href="https://central.example.jp/"' in page and 'href="tel:0667450170"' in page
    assert f'data-library="L{central.pk}"' in page
    assert 'href="https://www.openstreetmap.org/?mlat=34.69000&amp;mlon=135.50000#map=17/34.69000/135.50000"' in page
    assert f'<link rel="canonical" href="http://127.0.0.1:8000/libraries/L{central.pk}">' in page


@pytest.mark.parametrize(
    ("language", "heading", "other"),
    [
        ("ja", CENTRAL, "Osaka Prefectural Nakanoshima Library"),
        ("en", "Osaka Prefectural Nakanoshima Library", CENTRAL),
    ],
)
def test_the_heading_is_the_name_in_the_language_of_the_page(client, central, language, heading, other):
    page = get(client, f"/libraries/L{central.pk}", headers={"accept-language": language})
    assert re.search(r"<h1[^>]*>(.*?)</h1>", page)[1] == heading
    assert re.findall(r'<p class="other-name"[^>]*>(.*?)</p>', page) == [other]


def test_a_library_is_described_for_search_engines(client, shelf, central):
    branch = shelf.library("</script><b>分館", "3001", parent=central)
    page = get(client, f"/libraries/L{central.pk}")
    data = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', page)[1])
    assert (data["@type"], data["name"], data["geo"]["latitude"]) == ("Library", CENTRAL, 34.69)
    assert data["address"]["addressRegion"] == "大阪府"
    assert data["identifier"] == [{"@type": "PropertyValue", "propertyID": "NDLLibCode", "value": "2127"}]
    assert data["subOrganization"][0]["name"] == branch.name


def test_the_page_of_a_library_lists_its_newest_titles_and_their_providers(client, shelf, library, central):
    books = [shelf.book(shelf.record(library), libraries=[central]) for _number in range(2)]
    LibraryName.objects.create(library=central, repository=library, name=CENTRAL)
    Library.objects.update(holdings=2)
    page = get(client, f"/libraries/L{central.pk}")
    assert [int(number) for number in re.findall(r'<div><a href="/books/M(\d+)"', page)] == [
        book.pk for book in reversed(books)
    ]
    assert f'href="/search?library=L{central.pk}"' in page and "2 titles" in page
    assert f'href="/repositories/{library.number}"' in page


def test_parents_branches_and_former_libraries_are_linked(client, shelf, central):
    branch = shelf.library("分館", "3001", parent=central)
    former = shelf.library("前身の図書館", "3002", merged_into=central)
    shelf.library(CENTRAL, "3003", merged_into=central)
    page = get(client, f"/libraries/L{central.pk}")
    assert f'href="/libraries/L{branch.pk}"' in page and former.name in page
    related = page.partition('<h2 id="related">')[2].partition("</section>")[0]
    assert related.count("<li") == 2  # without the one of the same name
    assert f'href="/libraries/L{central.pk}"' in get(client, f"/libraries/L{branch.pk}")


def test_a_closed_library_says_so(client, shelf):
    closed = shelf.library("閉館した図書館", "3002", closed_on=date(2020, 3, 31))
    assert "This library closed for good on March 31, 2020." in get(client, f"/libraries/L{closed.pk}")


@pytest.mark.parametrize("code", ["2127", "jp-1000001", "R900000001"])
def test_any_code_of_a_library_leads_to_its_page(client, central, code):
    LibraryCode.objects.create(scheme="ISIL", value="JP-1000001", library=central)
    LibraryCode.objects.create(scheme="provider", value="R900000001", library=central)
    assert f"/libraries/L{central.pk}" in get(client, f"/libraries/{code}")


def test_a_code_of_several_libraries_offers_a_choice(client, shelf, central):
    other = shelf.library("別の図書館", "2999")
    LibraryCode.objects.create(scheme="local", value="2127", library=other)
    answer = client.get("/libraries/2127", headers=EN)
    assert answer.status_code == 300
    assert {f"L{central.pk}", f"L{other.pk}"} == set(re.findall(r'href="/libraries/(L\d+)"', answer.text))


@pytest.mark.parametrize("ending", ["", ".json"])
def test_a_merged_library_leads_to_the_present_one(client, shelf, central, ending):
    former = shelf.library("前身の図書館", "3002", merged_into=central)
    LibraryCode.objects.filter(library=former).update(library=central, own=former)
    for name in ("3002", f"L{former.pk}"):
        answer = client.get(f"/libraries/{name}{ending}")
        assert (answer.status_code, answer["Location"]) == (301, f"/libraries/L{central.pk}{ending}")


@pytest.mark.parametrize("code", ["9999", "L99999999", "R900000001:中央図書館", "x" * 201, "%00", "a/b"])
def test_an_unknown_code_is_not_found(client, central, code):
    LibraryCode.objects.create(scheme="name", value="R900000001:中央図書館", library=central)
    assert client.get(f"/libraries/{code}").status_code == 404


def test_hostile_texts_stay_texts(client, shelf):
    poisoned = shelf.library('"><script>alert(1)</script>', "3001", page="javascript:alert(1)", telephone="<b>1")
    page = get(client, f"/libraries/L{poisoned.pk}")
    assert "<script>alert" not in page and "javascript:" not in page and "<b>1" not in page


def count_queries(client, path) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_the_queries_of_a_list_do_not_grow_with_the_libraries(client, shelf, central):
    few = count_queries(client, "/libraries/"), count_queries(client, "/libraries/?region=27")
    for number in range(5):
        shelf.library(f"図書館{number}", f"30{number:02}", prefecture="27", parent=central)
    assert few == (count_queries(client, "/libraries/"), count_queries(client, "/libraries/?region=27")) == (1, 2)


def test_the_queries_of_a_library_do_not_grow_with_its_books_and_branches(client, shelf, library, central):
    shelf.book(shelf.record(library), libraries=[central])
    few = count_queries(client, f"/libraries/L{central.pk}")
    for number in range(5):
        shelf.library(f"分館{number}", f"30{number:02}", parent=central)
        shelf.book(shelf.record(library), libraries=[central])
    assert count_queries(client, f"/libraries/L{central.pk}") == few <= 9


def test_without_a_known_place_there_is_no_empty_map(client, library):
    Library.objects.create(name="どこかの図書館")
    page = get(client, "/libraries/")
    assert 'class="prefectures"' not in page
    assert 'href="/libraries/?region=none"' in page
    Library.objects.create(name="東京の図書館", prefecture="13")
    assert 'class="prefectures"' in get(client, "/libraries/")
