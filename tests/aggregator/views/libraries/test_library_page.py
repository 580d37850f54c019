"""Librarians and staff find a library and change it; two people do not overwrite each other."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from aggregator.libraries.edits import by_people
from aggregator.libraries.numbers import library_number
from aggregator.models import Holding, Library, LibraryCode, LibraryName, Manifestation
from harvesting.models import AuditEntry, Repository

pytestmark = pytest.mark.django_db
NAME = "見本市立図書館"


@pytest.fixture
def library() -> Library:
    return made(NAME, "2127", reading="ミホン")


def made(name: str, code: str, scheme: str = "NDLLibCode", **values) -> Library:
    row = Library.objects.create(name=name, **values)
    LibraryCode.objects.create(library=row, scheme=scheme, value=code)
    return row


def book_of(library: Library) -> Manifestation:
    book = Manifestation.objects.create(pk=5001, record=b"x", changed_at=timezone.now(), index_pending=False)
    Holding.objects.create(manifestation=book, library=library)
    return book


def page_of(library: Library) -> str:
    return f"/manage/libraries/{library_number(library.pk)}/"


def fields(client: Client, library: Library) -> dict[str, str]:
    """What the form of the page would send."""
    form = client.get(page_of(library)).context["form"]
    sent = {name: form[name].value() for name in form.fields}
    seen = client.get(page_of(library)).context["seen"]
    return {"part": "fields", "seen": seen} | {name: "" if value is None else value for name, value in sent.items()}


def save(client: Client, library: Library, **values: str):
    return client.post(page_of(library), fields(client, library) | values)


def test_what_is_typed_is_stored_and_stands_above_records(staff, library):
    assert save(staff, library, address="見本市1-2-3", lends="false", prefecture="27").status_code == 302
    library.refresh_from_db()
    assert (library.address, library.lends, library.prefecture) == ("見本市1-2-3", False, "27")
    assert by_people(library.edited) == {"address", "lends", "prefecture"}
    entry = AuditEntry.objects.get(action="library.changed")
    assert entry.details["address"] == " → 見本市1-2-3"


def test_saving_an_untouched_form_changes_nothing(staff):
    row = made(
        NAME, "1", lends=True, latitude=34.5, longitude=135.25, closed_on="2020-03-31", remarks="一\n二", kind="special"
    )
    assert save(staff, row).status_code == 302
    row.refresh_from_db()
    assert row.edited == []
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("name", "", "required"),
        ("link_template", "https://opac.example.jp/?t={nothing}", "unknown placeholder"),
        ("link_template", "javascript:{title}", "must begin with http"),
        ("page", "ftp://example.jp/", "http"),
        ("latitude", "91", "90"),
        ("latitude", "34", "both coordinates"),
        ("municipality", "99999", "not the code of a municipality"),
        ("municipality", "見本村", "not known by name"),
        ("parent", "L999999", "No library has the number"),
        ("closed_on", "yesterday", "valid date"),
    ],
)
def test_an_invalid_value_is_told_and_not_stored(staff, library, field, value, told):
    answer = save(staff, library, **{field: value})
    assert answer.status_code == 422
    assert told in " ".join(answer.context["form"].errors[error][0] for error in answer.context["form"].errors)
    library.refresh_from_db()
    assert library.edited == []


def test_messages_are_in_the_language_of_the_page(staff, library):
    answer = staff.post(
        page_of(library), fields(staff, library) | {"latitude": "34"}, headers={"accept-language": "ja"}
    )
    assert "緯度と経度は、両方を入力するか" in answer.content.decode()


def test_a_municipality_brings_its_prefecture_and_no_other(staff, library):
    assert save(staff, library, municipality="大阪市").status_code == 302
    library.refresh_from_db()
    assert (library.prefecture, library.municipality) == ("27", "27100")
    assert "another prefecture" in save(staff, library, prefecture="13").content.decode()


def test_a_library_cannot_become_a_branch_of_its_own_branch(staff, library):
    branch = made("分館", "2128")
    assert save(staff, branch, parent="2127").status_code == 302
    branch.refresh_from_db()
    assert branch.parent == library
    assert "one of its branches" in save(staff, library, parent=library_number(branch.pk)).content.decode()


def test_the_second_of_two_people_is_told_and_keeps_what_was_typed(staff, library):
    old = fields(staff, library)
    save(staff, library, telephone="06-1")
    answer = staff.post(page_of(library), old | {"telephone": "06-2"})
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Someone else has changed the library" in page and "Stored now: 06-1" in page and 'value="06-2"' in page
    library.refresh_from_db()
    assert library.telephone == "06-1"
    again = staff.post(page_of(library), old | {"telephone": "06-2", "seen": answer.context["seen"]})
    assert again.status_code == 302
    library.refresh_from_db()
    assert library.telephone == "06-2"


def test_a_name_given_back_is_that_of_the_records_and_a_telephone_stays(staff, library):
    provider = Repository.objects.create(number="R900000009", name="総合目録")
    LibraryName.objects.create(library=library, repository=provider, name=NAME)
    save(staff, library, name="別の名", telephone="06-1")
    for field in ("name", "telephone"):
        seen = staff.get(page_of(library)).context["seen"]
        staff.post(page_of(library), {"part": "give-back", "field": field, "seen": seen})
    library.refresh_from_db()
    assert (library.name, library.telephone, library.edited) == (NAME, "06-1", [])
    assert AuditEntry.objects.filter(action="library.given_back").count() == 2


def test_books_follow_a_new_name_and_a_new_link(staff, library, django_capture_on_commit_callbacks):
    book = book_of(library)
    with django_capture_on_commit_callbacks(execute=True):
        save(staff, library, name="新しい名")
    book.refresh_from_db()
    assert (book.index_pending, book.merge_since) == (True, None)
    save(staff, library, link_template="https://opac.example.jp/?isbn={isbn}")
    book.refresh_from_db()
    assert book.merge_since


def test_codes_are_added_in_their_normal_form_and_removed(staff, library, django_capture_on_commit_callbacks):
    book = book_of(library)
    with django_capture_on_commit_callbacks(execute=True):
        staff.post(page_of(library), {"part": "code", "scheme": "ISIL", "value": "jp-1000001"})
    code = library.codes.get(scheme="ISIL", value="JP-1000001")
    book.refresh_from_db()
    assert (book.index_pending, book.merge_since) == (True, None)
    staff.post(page_of(library), {"part": "remove-code", "code": code.pk})
    book.refresh_from_db()
    assert library.codes.count() == 1 and book.merge_since


def test_a_code_of_another_library_is_refused_with_a_link_and_the_offer_to_merge(staff, library):
    other = made("別の館", "2128")
    answer = staff.post(page_of(library), {"part": "code", "scheme": "NDLLibCode", "value": "2128"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert page_of(other) in page and f"{page_of(library)}merge?with={library_number(other.pk)}" in page
    assert other.codes.exists()


@pytest.mark.parametrize(
    "values",
    [{"scheme": "", "value": "1"}, {"scheme": "", "other": "provider", "value": "R900000001"}, {"scheme": "ISIL"}],
)
def test_a_code_that_is_none_is_refused(staff, library, values):
    assert staff.post(page_of(library), {"part": "code"} | values).status_code == 422
    assert library.codes.count() == 1


def test_a_library_is_added_by_hand(staff):
    answer = staff.post("/manage/libraries/new", {"name": "新館", "telephone": "06-1"})
    row = Library.objects.get()
    assert answer.url == page_of(row)
    assert by_people(row.edited) == {"name", "telephone"}


@pytest.fixture
def own(librarian) -> Repository:
    provider = Repository.objects.create(number="R900000001", name=NAME)
    provider.managers.add(get_user_model().objects.get(username="hanako"))
    return provider


def test_a_librarian_changes_the_library_that_the_provider_is(librarian, own):
    row = made(NAME, own.number, "provider")
    assert save(librarian, row, telephone="06-1").status_code == 302
    row.refresh_from_db()
    assert row.telephone == "06-1"


def test_a_librarian_sees_no_library_of_others(librarian, own, library):
    assert librarian.get(page_of(library)).status_code == 404
    assert library.name not in librarian.get("/manage/libraries/").content.decode()


def test_a_library_that_others_report_too_is_staffs(librarian, own, library):
    LibraryName.objects.create(library=library, repository=own, name=NAME)
    assert librarian.get(page_of(library)).status_code == 200
    other = Repository.objects.create(number="R900000002", name="総合目録")
    LibraryName.objects.create(library=library, repository=other, name=NAME)
    assert librarian.get(page_of(library)).status_code == 404


def test_librarians_change_no_codes_and_merge_nothing(librarian, own):
    row = made(NAME, own.number, "provider")
    assert librarian.post(page_of(row), {"part": "code", "scheme": "ISIL", "value": "JP-1"}).status_code == 403
    assert librarian.get(f"{page_of(row)}merge").status_code == 403
    assert librarian.post(f"{page_of(row)}unmerge").status_code == 403
    assert librarian.get("/manage/libraries/questions").status_code == 403
    assert librarian.get("/manage/libraries/new").status_code == 403


@pytest.mark.parametrize("text", ["見本", "ミホン", "2127", "L{pk}", "sample"])
def test_a_library_is_found_by_name_reading_code_and_number(staff, text):
    row = made(NAME, "2127", reading="ミホン", name_en="Sample City Library")
    made("別の館", "9")
    page = staff.get("/manage/libraries/", {"q": text.format(pk=row.pk)}).content.decode()
    assert page_of(row) in page
    assert "別の館" not in page


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("", {"甲", "乙", "丙"}),
        ("no-region", {"乙", "丙"}),
        ("no-code", {"乙"}),
        ("closed", {"丙"}),
        ("records", {"乙"}),
        ("edited", {"甲"}),
        ("merged", {"丁"}),
    ],
)
def test_the_list_is_narrowed(staff, condition, names):
    first = made("甲", "1", prefecture="27", edited=["name"])
    made("乙", "R900000001:乙", "name")
    made("丙", "3", closed_on="2020-03-31", edited=["name", "list:name"])
    made("丁", "4", merged_into=first)
    rows = staff.get("/manage/libraries/", {"show": condition}).context["rows"]
    assert {row.name for row, _number, _place in rows} == names


def test_queries_of_the_list_do_not_grow_with_the_rows(staff, django_assert_max_num_queries):
    for number in range(60):
        made(f"館{number}", str(number))
    with django_assert_max_num_queries(19):
        page = staff.get("/manage/libraries/").content.decode()
    assert len(re.findall(r'href="/manage/libraries/L', page)) == 50


@pytest.mark.parametrize("text", ["\x00", "%00\x00", "9" * 200, "' OR 1=1 --", "L" + "9" * 18])
def test_hostile_texts_break_no_page(staff, library, text):
    """PostgreSQL takes no NUL, and no number of more than 64 bits."""
    sent = {"q": text, "with": text, "show": text}
    for path in ("/manage/libraries/", f"{page_of(library)}merge"):
        assert staff.get(path, sent).status_code in (200, 422)
    if "\x00" in text:
        assert save(staff, library, parent=text).status_code == 400
        return
    for values in ({"part": "code", "scheme": "", "other": text, "value": text}, {"part": "remove-code", "code": text}):
        assert staff.post(page_of(library), values).status_code in (302, 422)
    assert save(staff, library, parent=text, municipality=text, remarks=text).status_code == 422
    answered = {"answer": "one", "library": library_number(library.pk), "name": [text]}
    assert staff.post("/manage/libraries/questions", answered).status_code == 302
