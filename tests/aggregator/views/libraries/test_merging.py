"""Staff compare two libraries, merge them, and undo that."""

import pytest

from aggregator.libraries.numbers import library_number
from aggregator.models import Library, LibraryCode, LibraryMerge

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair() -> tuple[Library, Library]:
    rows = (
        Library.objects.create(name="見本市立図書館", telephone="06-1"),
        Library.objects.create(name="見本市図書館", address="見本市1", telephone="06-2", closed_on="2030-04-01"),
    )
    for row, code in zip(rows, ("2127", "2128"), strict=True):
        LibraryCode.objects.create(library=row, scheme="NDLLibCode", value=code)
    return rows


def page_of(library: Library, end: str = "merge") -> str:
    return f"/manage/libraries/{library_number(library.pk)}/{end}"


def test_the_preview_shows_both_and_what_is_taken_by_default(staff, pair):
    answer = staff.get(page_of(pair[0]), {"with": "2128"})
    assert {choice["name"]: choice["takes"] for choice in answer.context["choices"]} == {
        "name": False,
        "address": True,
        "telephone": False,
        "closed_on": True,
    }
    assert "Both hold 0 titles." in answer.content.decode()
    assert not LibraryMerge.objects.exists()


def test_two_libraries_are_merged_and_parted(staff, pair):
    kept, merged = pair
    seen = staff.get(page_of(kept), {"with": "2128"}).context["seen"]
    values = {"with": library_number(merged.pk), "seen": seen, "keep-address": "address", "keep-name": ""}
    assert staff.post(page_of(kept), values).url == page_of(kept, "")
    kept.refresh_from_db()
    assert (kept.name, kept.address, kept.codes.count()) == ("見本市立図書館", "見本市1", 2)
    assert "was merged into this library" in staff.get(page_of(kept, "")).content.decode()
    shown = staff.get(page_of(merged, "")).content.decode()
    assert "merged into another" in shown and 'name="part" value="fields"' not in shown
    answer = staff.post(page_of(kept, "unmerge"), {"merge": LibraryMerge.objects.get().pk})
    assert answer.url == page_of(merged, "")
    kept.refresh_from_db()
    assert (kept.address, kept.codes.count()) == ("", 1)


def test_a_merged_library_is_not_changed(staff, pair):
    Library.objects.filter(pk=pair[1].pk).update(merged_into=pair[0])
    assert staff.post(page_of(pair[1], ""), {"part": "fields", "name": "x"}).status_code == 403
    assert staff.get(page_of(pair[1])).status_code == 404


def test_what_changed_since_the_preview_is_not_merged(staff, pair):
    seen = staff.get(page_of(pair[0]), {"with": "2128"}).context["seen"]
    Library.objects.filter(pk=pair[1].pk).update(telephone="06-3")
    answer = staff.post(page_of(pair[0]), {"with": "2128", "seen": seen})
    assert answer.status_code == 409
    assert "Someone else has changed one of the two" in answer.content.decode()
    assert not LibraryMerge.objects.exists()


@pytest.mark.parametrize("text", ["2127", "nowhere", "L999"])
def test_a_library_is_not_merged_with_itself_or_with_none(staff, pair, text):
    answer = staff.get(page_of(pair[0]), {"with": text}, headers={"accept-language": "ja"})
    assert answer.status_code == 422
    assert "別の館の番号かコードを入力してください" in answer.content.decode()


@pytest.mark.parametrize("number", ["1", "", "x", "9" * 30])
def test_a_merging_that_is_none_is_told(staff, pair, number):
    answer = staff.post(page_of(pair[0], "unmerge"), {"merge": number}, follow=True)
    assert "already been undone" in answer.content.decode()
