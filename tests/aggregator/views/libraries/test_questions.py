"""Staff answer questions about libraries; an answer is remembered."""

import pytest

from aggregator.libraries.numbers import library_number
from aggregator.models import Library, LibraryAnswer, LibraryCode, LibraryName
from harvesting.models import AuditEntry, Repository

pytestmark = pytest.mark.django_db
PAGE = "/manage/libraries/questions"


@pytest.fixture
def named() -> Library:
    """A library under two names."""
    row = Library.objects.create(name="大阪府立中央図書館", prefecture="27")
    LibraryCode.objects.create(library=row, scheme="NDLLibCode", value="2127")
    provider = Repository.objects.create(number="R900000001", name="総合目録")
    for name in ("大阪府立中央図書館", "神戸市立図書館"):
        LibraryName.objects.create(library=row, repository=provider, name=name)
    return row


def shown(staff) -> tuple[int, int]:
    context = staff.get(PAGE).context
    return len(context["names"]), len(context["pairs"])


@pytest.mark.parametrize("answer", ["one", "two"])
def test_an_answered_name_comes_back_only_with_a_new_one(staff, named, answer):
    [question] = staff.get(PAGE).context["names"]
    names = [name for name, _providers in question["names"]]
    staff.post(PAGE, {"library": question["number"], "answer": answer, "name": names})
    assert shown(staff) == (0, 0)
    assert AuditEntry.objects.get().action == "library.names"
    LibraryName.objects.create(library=named, repository=Repository.objects.get(), name="京都府立図書館")
    assert shown(staff) == (1, 0)


def test_names_of_branches_and_of_merged_libraries_are_no_question(staff, named):
    assert shown(staff) == (1, 0)
    other = Library.objects.create(name="神戸市立図書館", prefecture="28", parent=named)
    assert shown(staff) == (0, 0)
    Library.objects.filter(pk=other.pk).update(parent=None, merged_into=named)
    assert shown(staff) == (0, 0)


def test_probable_duplicates_are_asked_about_until_they_are_answered(staff):
    first, second = (Library.objects.create(name="豊中市立岡町図書館") for _time in range(2))
    page = staff.get(PAGE).content.decode()
    assert f"/merge?with={library_number(second.pk)}" in page
    numbers = {"library": library_number(second.pk), "other": library_number(first.pk)}
    staff.post(PAGE, numbers | {"answer": "not-one"})
    assert shown(staff) == (0, 0)
    assert LibraryAnswer.objects.values_list("library", "other").get() == (first.pk, second.pk)


def test_the_dashboard_counts_the_questions(staff, named):
    assert "1 question about libraries" in staff.get("/manage/").content.decode()


@pytest.mark.parametrize("values", [{"answer": "one", "library": "L999"}, {"answer": "?"}, {}])
def test_an_answer_to_no_question_is_not_found(staff, named, values):
    assert staff.post(PAGE, {"library": library_number(named.pk)} | values).status_code == 404 or not values.get(
        "answer"
    )
    assert not LibraryAnswer.objects.exists()


def test_queries_do_not_grow_with_the_questions(staff, named, django_assert_max_num_queries):
    provider = Repository.objects.get()
    for number in range(20):
        row = Library.objects.create(name=f"館{number}番", prefecture="27")
        for name in (f"館{number}番", f"別館名{number}"):
            LibraryName.objects.create(library=row, repository=provider, name=name)
        Library.objects.create(name=f"館{number}番", prefecture="27")
    with django_assert_max_num_queries(25):
        assert shown(staff) == (21, 20)
