"""Subjects around a subject: from subdivisions in records, and from imported lists."""

import pytest
from django.core.management import CommandError, call_command

from aggregator.browse.heading import Related, find_heading
from aggregator.browse.kinds import SUBJECT
from aggregator.browse.subject_lists import UnreadableList, read_list, replace_list
from aggregator.models import SubjectRelation
from metadata.record import Subject
from tests.aggregator.browse.conftest import book

LIST = "subject\trelation\tother\n猫\tbroader\tペット\n猫\trelated\t犬\nねこ\tuse\t猫\n".encode()


def relations(name: str) -> dict[str, tuple[Related, ...]]:
    return dict(find_heading(SUBJECT, name).relations)


def test_subdivisions_of_records_lead_up_and_down(catalogue):
    catalogue(
        book(subjects=(Subject(value="日本--歴史"), Subject(value="日本"))),
        book(subjects=(Subject(value="日本--地理"),)),
    )
    assert relations("日本") == {"narrower": (Related("日本--地理", 1), Related("日本--歴史", 1))}
    assert relations("日本--歴史") == {"broader": (Related("日本", 1),)}


def test_an_imported_list_leads_in_both_directions(catalogue):
    catalogue(book(subjects=(Subject(value="猫"), Subject(value="ペット"))))
    replace_list("BSH", read_list(LIST))
    assert relations("猫") == {
        "broader": (Related("ペット", 1, "BSH"),),
        "related": (Related("犬", 0, "BSH"),),
        "used_for": (Related("ねこ", 0, "BSH"),),
    }
    assert relations("ペット") == {"narrower": (Related("猫", 1, "BSH"),)}
    assert relations("ねこ") == {"use": (Related("猫", 1, "BSH"),)}


@pytest.mark.django_db
def test_importing_a_list_again_replaces_it():
    replace_list("BSH", read_list(LIST))
    replace_list("NDLSH", read_list(LIST))
    replace_list("BSH", [("猫", "related", "虎")])
    assert SubjectRelation.objects.filter(list_name="BSH").count() == 1
    assert SubjectRelation.objects.filter(list_name="NDLSH").count() == 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff", "not UTF-8 at byte 0"),
        (b"subject,relation\n", "columns missing: other"),
        ("subject,relation,other\n猫,above,犬\n".encode(), "row 2: relation 'above'"),
        ("subject,relation,other\n猫,broader,\n".encode(), "row 2: '' is no heading"),
        ("subject,relation,other\n猫\n".encode(), "row 2: relation ''"),
    ],
)
def test_an_unreadable_list_says_where_and_why(data, reason):
    with pytest.raises(UnreadableList, match=reason):
        read_list(data)


@pytest.mark.django_db
def test_the_command_imports_and_removes_a_list(tmp_path):
    file = tmp_path / "bsh.tsv"
    file.write_bytes(LIST)
    call_command("subjects", "BSH", "--import", str(file))
    assert SubjectRelation.objects.count() == 3
    call_command("subjects", "BSH", "--remove")
    assert not SubjectRelation.objects.exists()
    file.write_bytes(b"x")
    with pytest.raises(CommandError, match="columns missing"):
        call_command("subjects", "BSH", "--import", str(file))
