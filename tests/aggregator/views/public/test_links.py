"""The page that shows where links to a provider lead."""

from urllib.parse import urlencode

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from harvesting.accounts.roles import LIBRARIANS, ensure_roles

TEMPLATE = "https://opac.example.jp/openurl?rft.isbn={isbn}&rft.btitle={title}"
ENGLISH = {"Accept-Language": "en"}


@pytest.fixture
def tried(client, library):
    library.link_template = TEMPLATE
    library.save()

    def get_page(user=None, number: str = library.number, **values: str):
        if user:
            client.force_login(user)
        return client.get(f"/repositories/{number}/links?{urlencode(values)}", headers=ENGLISH)

    return get_page


@pytest.fixture
def librarian(db):
    ensure_roles()
    user = get_user_model().objects.create_user("hanako", password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=LIBRARIANS))
    return user


def test_a_record_shows_its_link_and_the_unused_placeholders(tried, shelf, library):
    answer = tried(record=shelf.record(library).public_id)
    assert answer.context["link"].url == "https://opac.example.jp/openurl?rft.isbn=9784003101117"
    assert "a number identifies the book better" in answer.text


def test_typed_values_replace_those_of_the_record_and_a_dash_removes_them(tried, shelf, library):
    answer = tried(record=shelf.record(library).public_id, isbn="-", title="A B")
    assert answer.context["link"].url == "https://opac.example.jp/openurl?rft.btitle=A%20B"


def test_the_next_kind_of_link_is_used_with_the_reason(tried):
    answer = tried(creator="夏目漱石")
    assert answer.context["link"].kind == "top"
    assert "no value for any placeholder that identifies a book" in answer.text


def test_example_records_are_offered(tried, shelf, library):
    assert f"?record={shelf.record(library).public_id}" in tried().text


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"isbn": "123"}, "This is not a valid ISBN."),
        ({"record": "R900000001-Iaa"}, "This provider has no such record."),
    ],
)
def test_invalid_values_are_reported(tried, values, sentence):
    answer = tried(**values)
    assert answer.status_code == 400
    assert sentence in answer.text


def test_a_record_of_another_provider_is_refused(tried, shelf, archive):
    assert tried(record=shelf.record(archive).public_id).status_code == 400


def test_only_managers_of_the_repository_try_other_templates(tried, library, librarian):
    draft = {"template": "https://new.example.jp/?t={title}", "encoding": "euc-jp", "title": "本"}
    for user in (None, librarian):
        assert tried(user, **draft).context["link"].url.startswith("https://opac.example.jp/")
    library.managers.add(librarian)
    assert tried(librarian, **draft).context["link"].url == "https://new.example.jp/?t=%CB%DC"


def test_only_managers_of_the_repository_try_other_pages(tried, library, librarian):
    elsewhere = "https://elsewhere.example/1"
    assert not [step for step in tried(page=elsewhere, creator="x").context["steps"] if step.url == elsewhere]
    library.managers.add(librarian)
    assert tried(librarian, page=elsewhere, creator="x").context["link"].url == elsewhere
    assert tried(librarian, page="javascript:alert(1)").status_code == 400


def test_a_template_with_a_placeholder_in_the_host_is_refused(tried, library, librarian):
    library.managers.add(librarian)
    answer = tried(librarian, template="https://{title}.example/", title="evil")
    assert answer.status_code == 400
    assert "link" not in answer.context


def test_an_unknown_provider_is_not_found(tried):
    assert tried(number="R999999999").status_code == 404


def test_the_registration_links_to_the_page(admin_client, library):
    page = admin_client.get(f"/admin/harvesting/repository/{library.pk}/change/").text
    assert f"/repositories/{library.number}/links" in page
