"""An imported list replaces what records say, but not what people typed."""

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone, translation

from aggregator.libraries.edits import by_lists
from aggregator.libraries.identify import Code, Reported, Reports
from aggregator.libraries.imports import ImportRefused, carry_out, plan, rows_of
from aggregator.libraries.lists import read, write
from aggregator.libraries.registry import register
from aggregator.models import Holding, Library, LibraryCode, Manifestation, Member
from harvesting.models import AuditEntry
from tests.aggregator.shelves import Shelf

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def english():
    """The messages are compared in English."""
    with translation.override("en"):
        yield


def library(code: str = "2127", scheme: str = "NDLLibCode", **values) -> Library:
    made = Library.objects.create(**{"name": "旧い名"} | values)
    LibraryCode.objects.create(library=made, scheme=scheme, value=code)
    return made


def take_in(text: str, person=None) -> int:
    return carry_out(plan(read(text).rows), person)


def test_a_library_that_no_code_leads_to_is_new():
    assert take_in("isil,ndl_lib_code,name\nJP-1000001,2127,見本館\n") == 1
    made = Library.objects.get()
    assert (made.name, {code.value for code in made.codes.all()}) == ("見本館", {"JP-1000001", "2127"})


def test_a_known_library_is_changed_field_by_field_and_gets_its_further_codes():
    known = library(telephone="06-1")
    [change] = plan(read("ndl_lib_code,isil,name,telephone\n2127,JP-1000001,見本館,06-1\n").rows)
    assert [(item.field, item.before, item.after) for item in change.differences] == [("name", "旧い名", "見本館")]
    carry_out([change], None)
    known.refresh_from_db()
    assert known.name == "見本館"
    assert known.codes.filter(scheme="ISIL", value="JP-1000001").exists()


def test_what_people_typed_stays_and_the_preview_says_so():
    known = library(name="打ち込んだ名", edited=["name"])
    [change] = plan(read("ndl_lib_code,name,telephone\n2127,見本館,06-1\n").rows)
    carry_out([change], None)
    known.refresh_from_db()
    assert (known.name, known.telephone, change.kept) == ("打ち込んだ名", "06-1", ("name",))


def test_records_no_longer_change_what_a_list_says_but_a_later_list_does():
    library("JP-1000001", "ISIL", name="JP-1000001")
    take_in("isil,name,reading\nJP-1000001,見本館,ミホンカン\n")
    reports = Reports()
    reports.add(Reported(Code("ISIL", "JP-1000001"), "別の名", "ベツ"), Shelf().repository("ゆにかねっと").pk)
    register(reports)
    assert Library.objects.values_list("name", "reading").get() == ("見本館", "ミホンカン")
    take_in("isil,name\nJP-1000001,新しい名\n")
    assert Library.objects.get().name == "新しい名"


def test_a_value_that_the_list_only_confirms_is_marked_as_well():
    known = library(name="見本館")
    assert take_in("ndl_lib_code,name\n2127,見本館\n") == 0
    known.refresh_from_db()
    assert by_lists(known.edited) == {"name"}


def test_an_empty_cell_and_a_missing_column_say_nothing():
    known = library(telephone="06-1", reading="ヨミ")
    take_in("ndl_lib_code,name,telephone\n2127,見本館,\n")
    known.refresh_from_db()
    assert (known.telephone, known.reading) == ("06-1", "ヨミ")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("2127,JP-1000002,館,,", "different libraries"),
        ("9999,,,,", "needs a name"),
        ("2127,,館,javascript:alert(1),", "page:"),
        ("2127,,館,,2127", "branch of itself"),
        ("2127,,館,,9999", "No library has the code"),
        ("2128,,館,,", "line 2"),
    ],
)
def test_one_error_keeps_everything_from_being_stored(row, told):
    library("2127")
    library("JP-1000002", "ISIL")
    changes = plan(read(f"ndl_lib_code,isil,name,page,parent\n2128,,新しい館,,\n{row}\n").rows)
    assert told in changes[1].errors[0]
    with pytest.raises(ImportRefused):
        carry_out(changes, None)
    assert Library.objects.count() == 2


def test_a_branch_follows_its_library_within_the_same_list():
    take_in("ndl_lib_code,name,parent\n1,分館,2\n2,本館,\n")
    assert Library.objects.get(name="分館").parent == Library.objects.get(name="本館")


def test_what_is_exported_changes_nothing_when_it_is_imported():
    parent = library("R900000001:見本館", "name")
    library("2127", parent=parent, kind="municipal", prefecture="27", lends=False, latitude=34.5, remarks="一\n二")
    exported = write(rows_of(Library.objects.prefetch_related("codes", "parent__codes"))).decode()
    assert [change.outcome for change in plan(read(exported).rows)] == ["same", "same"]


def test_the_books_of_a_library_with_another_page_are_merged_again(shelf, book):
    held, other = library("2127"), library("2128")
    Holding.objects.create(manifestation=Member.objects.get(pk=book.pk).manifestation, library=held)
    take_in("ndl_lib_code,page\n2128,https://example.jp/\n")
    assert not Manifestation.objects.to_merge().exists()
    take_in("ndl_lib_code,page\n2127,https://example.jp/\n")
    assert Manifestation.objects.to_merge().exists()
    assert other.holdings == 0


def test_an_import_is_in_the_audit_trail():
    library()
    take_in("ndl_lib_code,name\n2127,見本館\n9,新しい館\n", get_user_model().objects.create(username="taro"))
    [one, both] = AuditEntry.objects.order_by("action").filter(action__startswith="librar")
    assert (one.action, one.details) == ("libraries.imported", {"new": 1, "changed": 1})
    assert (both.name, both.details) == ("taro", {"name": "旧い名 → 見本館"})


def test_queries_do_not_grow_with_the_rows(django_assert_max_num_queries):
    text = "ndl_lib_code,name\n" + "".join(f"{number},館{number}\n" for number in range(400))
    with django_assert_max_num_queries(20):
        take_in(text)


def test_the_books_of_a_changed_library_are_indexed_again(django_capture_on_commit_callbacks):
    held = library()
    book = Manifestation.objects.create(pk=1, record=b"x", changed_at=timezone.now(), index_pending=False)
    Holding.objects.create(manifestation=book, library=held)
    with django_capture_on_commit_callbacks(execute=True):
        take_in("ndl_lib_code,prefecture\n2127,27\n")
    book.refresh_from_db()
    assert book.index_pending
