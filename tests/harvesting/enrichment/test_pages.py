"""The pages about enrichment rules: who may see them, every change is previewed first, then used and undone."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.enrichment import applying, versions
from harvesting.enrichment.forms import FORMS, kind_of
from harvesting.enrichment.wording import FIELD_LABELS, PROBLEMS
from harvesting.models import EnrichmentRules, Repository, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.enrichment.fields import FIELDS
from metadata.enrichment.rules import Condition, Fixed, MapCodes, Replace, Split
from tests.aggregator.views.manage.test_join import HOSTILE, person
from tests.harvesting.batches import harvest_records, live, make_records, new_feed

pytestmark = pytest.mark.django_db
RENAMED = {"name": "題", "field": "title", "find": "見本の本", "replacement": "標本の本"}
ALL = (
    Fixed(name="a", field="rights", value="CC0", conditions=(Condition(field="note", test="contains", value="x"),)),
    Replace(name="b", field="volume", find=" ", replacement="", conditions=(Condition(field="title", test="filled"),)),
    MapCodes(name="c", field="material_type", codes=(("1", "図書"), ("2", ""))),
    Split(name="d", field="title", separator=" ; ", into="volume"),
)


@pytest.fixture
def librarian():
    return person("hanako", LIBRARIANS)


@pytest.fixture
def provider(librarian):
    repository = new_feed().repository
    repository.managers.set([librarian.session["_auth_user_id"]])
    return repository


def page_of(repository: Repository) -> str:
    return f"/manage/providers/{repository.number}/rules/"


def user(client):
    return Repository.managers.rel.model.objects.get(pk=client.session["_auth_user_id"])


def proposal(page) -> dict[str, object]:
    """What the preview sends back when its button is pressed."""
    return page.context["use_form"].initial


def test_a_rule_is_previewed_used_and_undone(librarian, provider):
    harvest_records(provider.feeds.get(), make_records(2))
    page = librarian.post(f"{page_of(provider)}rule?kind=replace", RENAMED)
    text = page.content.decode()
    assert "<del>見本の本 b0</del>" in text and "<ins>標本の本 b0</ins>" in text
    assert not EnrichmentRules.objects.exists()
    assert librarian.post(f"{page_of(provider)}use", {**proposal(page), "reason": "誤り"}).status_code == 302
    while applying.has_work():
        applying.carry_out()
    record = SourceRecord.objects.order_by("pk")[0]
    assert unpack_record(bytes(record.record)).title == "標本の本 b0"
    text = librarian.get(page_of(provider)).content.decode()
    assert "誤り" in text and "hanako" in text
    assert librarian.post(f"{page_of(provider)}use", {"do": "back", "version": "0"}).status_code == 302
    assert versions.rules_in_use(provider) == ()


@pytest.mark.parametrize("rule", ALL)
def test_the_form_of_a_rule_gives_the_same_rule_back(rule):
    form_class = FORMS[kind_of(rule)]
    form = form_class({name: value for name, value in form_class.values_of(rule).items() if value is not False})
    assert form.is_valid(), form.errors
    assert form.rule == rule


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("replace", {"name": "a", "field": "title", "find": "(", "pattern": "on"}),
        ("replace", {"name": "", "field": "title", "find": "a"}),
        ("fixed", {"name": "a", "field": "issued", "value": "明治"}),
        ("fixed", {"name": "a", "field": "isbn", "value": "1"}),
        ("codes", {"name": "a", "field": "title", "codes": "1"}),
        ("split", {"name": "a", "field": "title_reading", "separator": ";"}),
        ("split", {"name": "a", "field": "title", "separator": ";", "if_field_0": "note", "if_test_0": "is"}),
    ],
)
def test_a_rule_that_cannot_be_used_is_shown_again_with_the_reason(librarian, provider, kind, wrong):
    page = librarian.post(f"{page_of(provider)}rule?kind={kind}", wrong)
    assert page.status_code == 422
    assert "preview" not in page.context
    assert page.context["form"].errors


def test_rules_are_changed_moved_and_removed(librarian, provider):
    versions.store(provider, ALL, user(librarian))
    page = librarian.post(f"{page_of(provider)}rule?at=1", {"name": "b2", "field": "volume", "find": "x"})
    assert [line.name for line in page.context["proposed"]] == ["a", "b2", "c", "d"]
    for act, names in (("remove", "acd"), ("earlier", "bacd"), ("later", "acbd")):
        page = librarian.post(f"{page_of(provider)}change", {"do": act, "at": "1"})
        assert "".join(line.name for line in page.context["proposed"]) == names
    for act, at in (("earlier", "0"), ("later", "3"), ("remove", "4"), ("else", "1"), ("remove", "")):
        assert librarian.post(f"{page_of(provider)}change", {"do": act, "at": at}).status_code == 404


def test_rules_are_copied_to_another_provider_as_a_file(librarian, provider):
    versions.store(provider, ALL, user(librarian))
    file = librarian.get(f"/manage/providers/{provider.number}/rules.json")
    assert file["Content-Disposition"] == f'attachment; filename="enrichment-{provider.number}.json"'
    other = new_feed(base_url="https://b.example.jp/oai").repository
    other.managers.set([librarian.session["_auth_user_id"]])
    upload = SimpleUploadedFile("rules.json", file.content)
    page = librarian.post(f"{page_of(other)}change", {"do": "import", "file": upload})
    librarian.post(f"{page_of(other)}use", proposal(page))
    assert versions.rules_in_use(other) == ALL


def test_rules_are_offered_as_a_file_only_where_there_are_some(librarian, provider):
    offered = f'{page_of(provider).rstrip("/")}.json"'
    assert offered not in librarian.get(page_of(provider)).content.decode()
    page = librarian.post(f"{page_of(provider)}rule?kind=replace", RENAMED)
    librarian.post(f"{page_of(provider)}use", {**proposal(page), "reason": "誤り"})
    assert offered in librarian.get(page_of(provider)).content.decode()


def test_a_file_that_is_none_is_refused(librarian, provider):
    upload = SimpleUploadedFile("rules.json", b'{"rules": [{"kind": "python"}]}')
    page = librarian.post(f"{page_of(provider)}change", {"do": "import", "file": upload})
    assert page.status_code == 422 and page.context["import_form"].errors


def test_a_preview_of_other_rules_than_those_in_use_by_now_is_not_used(librarian, provider):
    page = librarian.post(f"{page_of(provider)}rule?kind=replace", RENAMED)
    versions.store(provider, ALL, user(librarian))
    librarian.post(f"{page_of(provider)}use", proposal(page))
    assert versions.rules_in_use(provider) == ALL


@pytest.mark.parametrize("path", ["", "rule?kind=fixed", "change", "use"])
def test_the_rules_of_a_provider_are_only_for_those_who_manage_it(provider, client, path):
    for stranger, status in ((client, 302), (person("jiro", LIBRARIANS), 404)):
        assert stranger.post(f"{page_of(provider)}{path}", {"do": "remove", "at": "0"}).status_code in {status, 405}
    if path in {"", "rule?kind=fixed"}:
        assert person("saburo", LIBRARIANS).get(f"{page_of(provider)}{path}").status_code == 404
        assert person("staff", STAFF).get(f"{page_of(provider)}{path}").status_code == 200


def test_the_preview_says_what_checks_find_and_which_codes_are_missing(librarian, provider):
    harvest_records(provider.feeds.get(), [live("1", title="見本"), live("2", title="")])
    codes = {"name": "種別", "field": "language", "codes": "xxx,eng"}
    page = librarian.post(f"{page_of(provider)}rule?kind=codes", codes)
    seen = page.context["preview"]
    assert (seen.idle, seen.uncovered) == (("種別",), (("種別", (("jpn", 1),)),))
    empty = librarian.post(f"{page_of(provider)}rule?kind=fixed", {"name": "題", "field": "title", "value": "無題"})
    seen = empty.context["preview"]
    assert (seen.records, seen.changed, seen.accepted, seen.refused) == (2, 2, 1, 0)
    assert ("dcndl.E003", 0, 1) in seen.codes


def test_what_people_and_records_say_is_shown_as_text(librarian, provider):
    harvest_records(provider.feeds.get(), [live("1", title=f"見本 {HOSTILE}")])
    page = librarian.post(
        f"{page_of(provider)}rule?kind=replace",
        {"name": HOSTILE[:100], "field": "title", "find": "見本", "replacement": HOSTILE},
    )
    librarian.post(f"{page_of(provider)}use", {**proposal(page), "reason": HOSTILE})
    for shown in (page, librarian.get(page_of(provider))):
        assert HOSTILE not in shown.content.decode()


def test_the_script_of_the_page_learns_how_far_the_records_are(librarian, provider):
    harvest_records(provider.feeds.get(), make_records(1))
    versions.store(provider, ALL, user(librarian))
    answers = [json.loads(librarian.get(page_of(provider), headers={"accept": "application/json"}).content)]
    applying.carry_out()
    answers.append(json.loads(librarian.get(page_of(provider), headers={"accept": "application/json"}).content))
    assert answers == [{"state": "0", "over": False}, {"state": "1", "over": True}]


def test_a_licence_that_permits_unchanged_copies_only_is_pointed_out(librarian, provider):
    assert "(ND)" not in librarian.get(page_of(provider)).content.decode()
    Repository.objects.update(licence="CC BY-ND 4.0")
    assert "(ND)" in librarian.get(page_of(provider)).content.decode()


def test_every_field_and_every_problem_has_a_name():
    assert FIELD_LABELS.keys() == FIELDS.keys()
    assert all(map(str, PROBLEMS.values()))
