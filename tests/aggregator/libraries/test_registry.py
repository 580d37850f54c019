"""Libraries that records report are found or made; what people filled in stays."""

import pytest

from aggregator.libraries import registry
from aggregator.libraries.identify import Code, Reported, Reports, name_code
from aggregator.libraries.registry import MOST_NAMES, find_libraries, register
from aggregator.models import Library, LibraryCode, LibraryName
from tests.aggregator.shelves import Shelf

pytestmark = pytest.mark.django_db
CODE = Code("NDLLibCode", "2127")
NAME = "大阪府立中央図書館"


@pytest.fixture
def provider() -> int:
    return Shelf().repository("ゆにかねっと").pk


def report(provider: int, *libraries: Reported) -> dict:
    reports = Reports()
    for library in libraries:
        reports.add(library, provider)
    return register(reports)


def test_an_unknown_library_is_made_once_and_found(provider) -> None:
    made = report(provider, Reported(CODE, NAME, "オオサカ"))
    assert report(provider, Reported(CODE, NAME)) == find_libraries({CODE}) == made
    assert made[CODE].name == NAME
    assert Library.objects.values_list("name", "reading").get() == (NAME, "オオサカ")


def test_a_library_without_a_name_is_called_by_its_code_until_a_record_names_it(provider) -> None:
    report(provider, Reported(CODE))
    assert Library.objects.get().name == "2127"
    report(provider, Reported(CODE, NAME))
    assert Library.objects.get().name == NAME


def test_a_provider_that_is_a_library_has_its_name_and_page(provider) -> None:
    number = "R000000001"
    report(provider, Reported(Code("provider", number)))
    assert Library.objects.get().name == "ゆにかねっと"


ITSELF, BY_NAME = Code("provider", "R000000001"), name_code("R000000001", "ゆにかねっと")


@pytest.mark.parametrize("batches", [[[ITSELF], [BY_NAME]], [[BY_NAME], [ITSELF]], [[BY_NAME, ITSELF]]])
def test_a_provider_and_the_library_of_its_name_in_its_own_records_are_one(provider, batches) -> None:
    for codes in batches:
        report(provider, *(Reported(code, "ゆにかねっと" if code == BY_NAME else "") for code in codes))
    found = find_libraries({ITSELF, BY_NAME})
    assert found.keys() == {ITSELF, BY_NAME}
    assert {known.pk for known in found.values()} == {Library.objects.get().pk}
    assert Library.objects.get().name == "ゆにかねっと"


def test_a_library_of_the_same_name_in_the_records_of_another_provider_is_another(provider) -> None:
    report(provider, Reported(ITSELF), Reported(name_code("R000000002", "ゆにかねっと"), "ゆにかねっと"))
    assert Library.objects.count() == 2


def test_a_known_name_stays_and_empty_fields_are_filled(provider) -> None:
    report(provider, Reported(CODE, NAME))
    report(provider, Reported(CODE, "別の名前", "オオサカ", "Osaka"))
    assert Library.objects.values_list("name", "reading", "name_en").get() == (NAME, "オオサカ", "Osaka")


def test_what_people_filled_in_stands_above_what_records_say(provider) -> None:
    report(provider, Reported(CODE))
    Library.objects.update(edited=["name", "reading"])
    report(provider, Reported(CODE, NAME, "オオサカ", "Osaka"))
    assert Library.objects.values_list("name", "reading", "name_en").get() == ("2127", "", "Osaka")


def test_names_that_records_use_are_noted_once_and_not_without_end(provider) -> None:
    for _time in range(2):
        report(provider, *(Reported(CODE, f"{NAME}{number}") for number in range(MOST_NAMES + 5)))
    assert LibraryName.objects.count() == MOST_NAMES


def test_a_code_of_another_scheme_is_another_library(provider) -> None:
    report(provider, Reported(CODE, NAME), Reported(Code("FA", "2127"), "別の館"))
    assert Library.objects.count() == LibraryCode.objects.count() == 2


def test_queries_do_not_grow_with_the_number_of_libraries(provider, django_assert_max_num_queries) -> None:
    libraries = [Reported(Code("NDLLibCode", str(number)), f"図書館{number}") for number in range(40)]
    with django_assert_max_num_queries(12):
        report(provider, *libraries)
    with django_assert_max_num_queries(3):
        report(provider, *libraries)


def test_a_library_that_another_process_has_just_made_is_taken(provider, monkeypatch) -> None:
    report(provider, Reported(CODE, NAME))
    find, answers = registry._rows, [{}]
    monkeypatch.setattr(registry, "_rows", lambda codes: answers.pop() if answers else find(codes))
    assert report(provider, Reported(CODE, NAME))[CODE].pk == Library.objects.get().pk
