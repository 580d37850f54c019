"""The advanced search form, as it is shown and as it is kept when a value is wrong."""

import re

import pytest


def fields(page: str) -> dict[str, str]:
    """Return the texts in the form by field name."""
    return dict(re.findall(r'<input id="a-[^"]*" name="([^"]*)" value="([^"]*)"', page))


def ticked(page: str) -> set[tuple[str, str]]:
    return set(re.findall(r'<input type="checkbox" name="([^"]*)" value="([^"]*)" checked>', page))


def test_the_form_has_every_field_with_its_exclusion(client, shelf, library):
    page = client.get("/search/advanced").text
    names = {"q", "title", "creator", "publisher", "subject", "journal", "library"}
    assert names | {f"-{name}" for name in names} | {"isbn", "issn", "from", "until"} == fields(page).keys()
    assert 'name="type" value="Book"' in page
    assert 'name="language" value="jpn"' in page
    assert 'name="ndc" value="9"' in page
    assert 'name="repository" value="R900000001"' in page
    assert ticked(page) == set()


def test_the_form_is_filled_from_the_search(client, shelf, library):
    page = client.get(
        "/search/advanced?title=こころ&-creator=村上&type=Book&type=Map&online=1&from=1980&sort=newest&size=50"
    ).text
    assert (fields(page)["title"], fields(page)["-creator"], fields(page)["from"]) == ("こころ", "村上", "1980")
    assert ticked(page) == {("type", "Book"), ("type", "Map"), ("online", "1")}
    assert '<option value="newest" selected>' in page
    assert '<option value="50" selected>' in page


def test_conditions_without_a_field_are_kept_as_ticked_boxes(client, shelf, library):
    page = client.get("/search/advanced?subject_is=読書&-type=Map&type=DVD&ndc=913&-q=甲&-q=乙").text
    assert ticked(page) == {("subject_is", "読書"), ("-type", "Map"), ("type", "DVD"), ("ndc", "913"), ("-q", "乙")}
    assert fields(page)["-q"] == "甲"


def test_sending_the_form_gives_the_same_search(client, shelf, library):
    page = client.get("/search/advanced?title=こころ&-type=Map&creator_is=夏目漱石").text
    again = client.get("/search", {**fields(page), **dict(ticked(page))}, follow=True)
    assert again.redirect_chain[0][0].endswith("creator_is=%E5%A4%8F%E7%9B%AE%E6%BC%B1%E7%9F%B3&-type=Map")


@pytest.mark.parametrize(("path", "status"), [("/search", 400), ("/search/advanced", 400)])
def test_an_error_is_shown_at_its_field_and_all_input_is_kept(client, shelf, path, status):
    answer = client.get(path, {"title": "こころ", "isbn": "123", "type": "Book"}, headers={"accept-language": "en"})
    assert answer.status_code == status
    page = answer.text
    assert (fields(page)["title"], fields(page)["isbn"]) == ("こころ", "123")
    assert 'name="isbn" value="123" maxlength="200" autocomplete="off"' in page
    assert 'aria-invalid="true" aria-describedby="a-isbn-fault"' in page
    assert "An ISBN has 10 or 13 digits" in page
    assert ticked(page) == {("type", "Book")}


def test_an_error_without_a_field_is_shown_above_the_form(client, shelf):
    page = client.get("/search/advanced?colour=red", headers={"accept-language": "en"}).text
    assert 'data-parameter="colour">colour</b>' in page
    assert "colour" not in fields(page)


def test_typed_markup_is_escaped(client, shelf):
    page = client.get("/search/advanced", {"title": '"><script>alert(1)</script>', "type": "<b>"}).text
    assert "<script>alert" not in page
    assert "<b>" not in page.split("</form>")[0].rsplit("<form", 1)[1]


def test_every_page_links_to_the_form(client, shelf, library):
    for path in ("/", "/search", "/repositories/", "/rules/", "/about"):
        assert 'href="/search/advanced' in client.get(path).text, path


def test_the_names_of_providers_regions_and_libraries_take_one_query_each(
    client, shelf, library, archive, django_assert_num_queries
):
    libraries = [shelf.library(f"図書館{code}", code, prefecture=code[:2]) for code in ("1301", "2701", "4001")]
    shelf.book(shelf.record(library), libraries=libraries)
    with django_assert_num_queries(3):
        client.get("/search/advanced")


@pytest.fixture
def osaka(shelf, library):
    """Two libraries with one book: one in 大阪市, the other in 東京都."""
    osaka = shelf.library("大阪市立中央図書館", "2127", prefecture="27", municipality="27100")
    tokyo = shelf.library("都立中央図書館", "2103", prefecture="13")
    shelf.library("所蔵のない図書館", "2199", prefecture="01")
    shelf.book(shelf.record(library), libraries=[osaka, tokyo])
    return osaka


def test_regions_with_libraries_are_offered_with_their_municipalities(client, osaka):
    page = client.get("/search/advanced?region=27100").text
    assert ticked(page) == {("region", "27100")}
    assert page.index("関東") < page.index("東京都") < page.index("近畿") < page.index("大阪府") < page.index("大阪市<")
    assert "北海道" not in page
    assert "<details open>\n<summary>近畿" in page and "<details>\n<summary>関東" in page


def test_a_place_without_libraries_is_kept_if_it_was_chosen(client, osaka):
    assert ticked(client.get("/search/advanced?region=01").text) == {("region", "01")}


@pytest.mark.parametrize("typed", ["2127", "大阪市立中央図書館"])
def test_a_library_may_be_typed_as_a_code_or_a_name_and_is_then_a_box(client, osaka, typed):
    page = client.get("/search/advanced", {"library": typed, "-library": "2103"}).text
    tokyo = next(value for name, value in ticked(page) if name == "-library")
    assert ticked(page) == {("library", f"L{osaka.pk}"), ("-library", tokyo)}
    assert "図書館: 大阪市立中央図書館" in page and "図書館「都立中央図書館」を除く" in page
    assert (fields(page)["library"], fields(page)["-library"]) == ("", "")


def test_the_names_of_libraries_are_offered(client, osaka):
    page = client.get("/search/advanced").text
    assert '<option value="大阪市立中央図書館">' in page
    assert "所蔵のない図書館" not in page


def test_libraries_of_one_name_are_told_apart(client, shelf, library):
    libraries = [shelf.library("中央図書館", f"21{code}", prefecture=code) for code in ("13", "27")]
    shelf.book(shelf.record(library), libraries=libraries)
    page = client.get("/search/advanced", {"library": "中央図書館"}).text
    assert f'<option value="L{libraries[1].pk}" label="中央図書館 大阪府">' in page
    assert fields(page)["library"] == "中央図書館"
    assert f"L{libraries[0].pk}, L{libraries[1].pk}" in page


@pytest.mark.parametrize("name", ["library", "-library", "region"])
def test_an_unknown_library_or_region_is_shown_at_its_field(client, osaka, name):
    answer = client.get("/search/advanced", {name: "99"})
    assert answer.status_code == 400
    assert answer.text.count('class="fault"') == 1
    assert 'class="problem' not in answer.text
