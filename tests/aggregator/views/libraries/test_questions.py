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
    with django_assert_max_num_queries(27):
        assert shown(staff) == (21, 20)


def test_past_answers_are_listed_and_can_be_taken_back(staff, named):
    first, second = (Library.objects.create(name="豊中市立岡町図書館") for _time in range(2))
    names = ["大阪府立中央図書館", "神戸市立図書館"]
    staff.post(PAGE, {"library": library_number(named.pk), "answer": "two", "name": names})
    numbers = {"library": library_number(first.pk), "other": library_number(second.pk)}
    staff.post(PAGE, numbers | {"answer": "not-one"})
    page = staff.get("/manage/libraries/answers").content.decode()
    assert "神戸市立図書館" in page and library_number(second.pk) in page
    for answer in LibraryAnswer.objects.all():
        staff.post("/manage/libraries/answers", {"answer": answer.pk})
    assert shown(staff) == (1, 1)
    assert AuditEntry.objects.filter(action="library.answer_taken_back").count() == 2
    assert "No question has been answered" in staff.get("/manage/libraries/answers").content.decode()


@pytest.mark.parametrize("answer", ["", "x", "999", "１", "9" * 19, "9" * 5000])
def test_taking_back_an_answer_that_does_not_exist_is_not_found(staff, answer):
    assert staff.post("/manage/libraries/answers", {"answer": answer}).status_code == 404


def test_queries_of_past_answers_do_not_grow(staff, named, django_assert_max_num_queries):
    for number in range(30):
        row = Library.objects.create(name=f"館{number}")
        LibraryAnswer.objects.create(library=row, verdict="one", names=["x"])
    with django_assert_max_num_queries(15):
        assert len(staff.get("/manage/libraries/answers").context["answers"]) == 30
