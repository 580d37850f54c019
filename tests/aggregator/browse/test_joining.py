"""Names of one person are joined where sources say that they are one, and never otherwise."""

import pytest

from aggregator.browse.heading import find_heading
from aggregator.browse.kinds import CREATOR
from aggregator.models import Heading
from metadata.record import Agent, Identifier, Title
from tests.aggregator.browse.conftest import HARARI, HARARI_JA, book


def mains() -> dict[str, str]:
    return {row.label: row.main for row in Heading.objects.filter(kind=CREATOR)}


@pytest.mark.parametrize(
    "names",
    [
        (HARARI, HARARI_JA),
        (HARARI, Agent(name="ハラリ, ユヴァル・ノア", other_names=(Title(value="Harari, Yuval N."),))),
    ],
    ids=["same identifier", "both forms in one record"],
)
def test_two_scripts_are_one_person_where_sources_say_so(catalogue, names):
    one, other = names
    catalogue(book(one), book(one, year="2011"), book(other, year="2021"))
    assert mains() == {"Harari, Yuval N.": "", "ハラリ, ユヴァル・ノア": "charariyuvaln"}
    facts = find_heading(CREATOR, "ハラリ, ユヴァル・ノア")
    assert facts.label == "Harari, Yuval N."
    assert facts.names == ("ハラリ, ユヴァル・ノア",)
    assert facts.identifiers == ("VIAF 98268072",)
    assert (facts.first_year, facts.last_year) == (2011, 2021)
    assert facts.query.creators == ("Harari, Yuval N.", "ハラリ, ユヴァル・ノア")


def test_similar_names_are_never_joined(catalogue):
    catalogue(book(Agent(name="Harari, Yuval N.")), book(Agent(name="Harari, Yuval Noah")), book(Agent(name="ハラリ")))
    assert set(mains().values()) == {""}


def test_a_name_with_two_identifiers_of_one_scheme_is_joined_with_nobody(catalogue):
    def suzuki(number: str, other: str) -> Agent:
        return Agent(
            name="鈴木一郎",
            identifiers=(Identifier(scheme="NRID", value=number),),
            other_names=(Title(value=other),),
        )

    catalogue(
        book(suzuki("9000000000001", "Suzuki, Ichiro (physicist)"), Agent(name="Suzuki, Ichiro (physicist)")),
        book(suzuki("9000000000002", "Suzuki, Ichiro (poet)"), Agent(name="Suzuki, Ichiro (poet)")),
    )
    assert set(mains().values()) == {""}
    facts = find_heading(CREATOR, "鈴木一郎")
    assert facts.is_shared
    assert facts.identifiers == ("NRID 9000000000001", "NRID 9000000000002")


def test_a_chain_of_statements_joins_all_names(catalogue):
    catalogue(
        book(Agent(name="甲", other_names=(Title(value="乙"),))),
        book(Agent(name="乙", other_names=(Title(value="丙"),))),
        book(Agent(name="丙")),
        book(Agent(name="丙")),
    )
    assert mains() == {"丙": "", "甲": "c丙", "乙": "c丙"}
    assert Heading.objects.get(label="丙").books == 4


def test_a_form_that_heads_no_book_leads_to_the_person_too(catalogue):
    catalogue(book(Agent(name="夏目漱石", other_names=(Title(value="Natsume, Soseki"),))))
    facts = find_heading(CREATOR, "Natsume, Sōseki")
    assert facts.label == "夏目漱石"
    assert facts.names == ("Natsume, Soseki",)
