"""The conditions for what repositories hold: content types, access, licences, full texts, funders, degrees."""

import pytest

from aggregator.search.base import Document, FacetValue, Query, SearchIndex
from aggregator.search.documents import Holders, document
from metadata.record import (
    Agent,
    BibliographicRecord,
    File,
    Funding,
    Identifier,
    Item,
    License,
    MaterialType,
    Title,
)
from tests.aggregator.search.hits import ids

THESIS = Document(
    id=1,
    titles=("猫の研究",),
    kinds=("doctoral thesis", "thesis"),
    access=("open",),
    licences=("cc-by",),
    fulltext=True,
    funder_values=("日本学術振興会",),
    degree_values=("博士（理学）", "Doctor of Science"),
    identity_values=("ORCID 0000-0002-1825-0097", "ROR 057zh3y96"),
)
DATA = Document(id=2, titles=("猫のデータ",), kinds=("dataset",), access=("restricted", "premises"), licences=("inc",))


@pytest.fixture
def repository(index: SearchIndex) -> SearchIndex:
    index.update([THESIS, DATA, Document(id=3, titles=("猫",))])
    return index


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({"kinds": ("thesis",)}, [1]),
        ({"kinds": ("dataset", "doctoral thesis")}, [1, 2]),
        ({"access": ("open", "premises")}, [1, 2]),
        ({"access": ("embargoed",)}, []),
        ({"licences": ("cc-by",)}, [1]),
        ({"fulltext": True}, [1]),
        ({"funders": ("日本学術 振興会",)}, [1]),
        ({"degrees": ("Doctor of science",)}, [1]),
        ({"identities": ("ORCID 0000-0002-1825-0097",)}, [1]),
        ({"identities": ("ORCID 0000-0002-1694-233X",)}, []),
        ({"excluded": (("identity_is", "ROR 057zh3y96"),)}, [2, 3]),
        ({"excluded": (("kind", "dataset"),)}, [1, 3]),
        ({"excluded": (("access", "premises"), ("licence", "cc-by"))}, [3]),
        ({"excluded": (("fulltext", "1"),)}, [2, 3]),
        ({"excluded": (("funder_is", "日本学術振興会"), ("degree_is", "博士（文学）"))}, [2, 3]),
    ],
)
def test_conditions_hold_or_are_excluded(repository: SearchIndex, conditions: dict, found: list[int]) -> None:
    assert sorted(ids(repository.search(Query(**conditions)))) == found


def test_their_facets_are_counted(repository: SearchIndex) -> None:
    facets = repository.search(Query()).facets
    assert set(facets["kind"]) == {FacetValue(kind, 1) for kind in ("thesis", "doctoral thesis", "dataset")}
    assert set(facets["access"]) == {FacetValue(key, 1) for key in ("open", "restricted", "premises")}
    assert set(facets["licence"]) == {FacetValue("cc-by", 1), FacetValue("inc", 1)}
    assert facets["fulltext"] == (FacetValue("1", 1),)
    assert facets["funder"] == (FacetValue("日本学術振興会", 1),)
    assert set(facets["identity"]) == {FacetValue(number, 1) for number in THESIS.identity_values}
    assert set(facets["degree"]) == {FacetValue("博士（理学）", 1), FacetValue("Doctor of Science", 1)}


def test_alternatives_to_a_chosen_value_are_counted(repository: SearchIndex) -> None:
    found = repository.alternatives(Query(fulltext=True, kinds=("dataset",)))
    assert found["kind"] == (FacetValue("doctoral thesis", 1), FacetValue("thesis", 1))
    assert found["fulltext"] == ()


def test_the_document_has_what_the_record_says() -> None:
    record = BibliographicRecord(
        titles=(Title(value="猫の研究"),),
        material_types=(
            MaterialType(uri="http://ndl.go.jp/ndltype/DoctoralDissertation", label="doctoral thesis"),
            MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書"),
        ),
        access_rights=("open access", "S01P99U99"),
        rights=("CC BY 4.0",),
        licenses=(License(uri="https://creativecommons.org/licenses/by/4.0/"),),
        files=(File(uri="https://repo.example.jp/1.pdf", type="fulltext"),),
        fundings=(Funding(funder=Agent(name="日本学術振興会")),),
        degree_names=("博士（理学）",),
        items=(Item(availability="図書館・個人送信限定"),),
    )
    made = document(1, record, Holders())
    assert (made.kinds, made.licences, made.fulltext) == (("doctoral thesis",), ("cc-by",), True)
    assert made.access == ("open", "persons", "libraries")
    assert (made.funder_values, made.degree_values) == (("日本学術振興会",), ("博士（理学）",))
    assert document(2, BibliographicRecord(), Holders()).access == ()


def test_persons_and_bodies_are_found_by_valid_identifiers_only() -> None:
    """Of creators, contributors, their institutions and funders. Numbers of libraries' authority files are no facet."""
    university = Agent(name="例大学", identifiers=(Identifier(scheme="ROR", value="https://ror.org/057zh3y96"),))
    wrong = Agent(name="誤", identifiers=(Identifier(scheme="ORCID", value="0000-0002-1825-0098"),))
    reader = Agent(name="例, 花子", identifiers=(Identifier(scheme="e-Rad_Researcher", value="90050426"),))
    creator = Agent(
        name="例, 太郎",
        uri="https://orcid.org/0000-0002-1825-0097",
        identifiers=(Identifier(scheme="VIAF", value="98268072"),),
        affiliations=(university,),
    )
    record = BibliographicRecord(
        creators=(creator, wrong), contributors=(reader,), fundings=(Funding(funder=university),)
    )
    assert document(1, record, Holders()).identity_values == (
        "ORCID 0000-0002-1825-0097",
        "ROR 057zh3y96",
        "NRID 1000090050426",
    )
