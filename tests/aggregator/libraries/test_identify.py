"""Which library an item belongs to: by its code, else by its name within the provider, else the provider itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.libraries.identify import (
    LONGEST_NAME,
    LONGEST_SCHEME,
    LONGEST_VALUE,
    Code,
    Reported,
    code_of,
    reported_library,
)
from metadata.record import Identifier, Item, Title

PROVIDER = "R100000001"


def code(**fields: object) -> Code:
    return reported_library(Item(**fields), PROVIDER).code


def agent_code(scheme: str, value: str) -> Code:
    return code(holding_agent_identifiers=(Identifier(scheme=scheme, value=value),))


def test_a_library_code_names_the_library() -> None:
    item = Item(
        holding_agent="大阪府立中央図書館",
        holding_agent_transcription="オオサカ フリツ チュウオウ トショカン",
        holding_agent_names=(Title(value="Osaka Prefectural Central Library", language="en"),),
        library_code=" ２１２７ ",
    )
    assert reported_library(item, PROVIDER) == Reported(
        Code("NDLLibCode", "2127"),
        "大阪府立中央図書館",
        "オオサカ フリツ チュウオウ トショカン",
        "Osaka Prefectural Central Library",
    )


def test_a_number_of_another_scheme_in_its_place_is_known_by_its_form() -> None:
    assert code(library_code="jp-1000001") == Code("ISIL", "JP-1000001")
    assert code(library_code="FA001798") == Code("FA", "FA001798")


def test_schemes_are_spelled_in_several_ways() -> None:
    assert agent_code("isil", "JP-1000001") == agent_code("ISIL", "JP-1000001") == Code("ISIL", "JP-1000001")
    assert agent_code("FAID", "FA012954") == Code("FA", "FA012954")
    assert agent_code("FANO", "FA012954") == Code("FA", "FA012954")
    assert agent_code("MARC", "DLC") == agent_code("marcorg", "DLC") == Code("ISIL", "DLC")
    assert agent_code("GRID", "grid.26999.3d") == Code("GRID", "grid.26999.3d")


def test_a_record_cannot_claim_to_be_another_providers_library() -> None:
    assert agent_code("provider", "R100000002").scheme != "provider"
    assert agent_code("name", "R100000002:見本図書館").scheme != "name"


def test_codes_of_libraries_go_before_those_of_institutions() -> None:
    numbers = (Identifier(scheme="GRID", value="grid.1"), Identifier(scheme="ISIL", value="JP-1000001"))
    assert code(holding_agent_identifiers=numbers).scheme == "ISIL"
    assert code(library_code="2127", holding_agent_identifiers=numbers).scheme == "NDLLibCode"


def test_without_a_code_the_name_counts_within_the_provider() -> None:
    assert (
        code(holding_agent="見本 図書館") == code(holding_agent="見本図書館") == Code("name", f"{PROVIDER}:見本図書館")
    )
    assert reported_library(Item(holding_agent="見本図書館"), "R100000002").code.value == "R100000002:見本図書館"


@pytest.mark.parametrize("item", [Item(), Item(call_number="913"), Item(holding_agent=" ー ")])
def test_without_a_name_the_provider_is_the_library(item) -> None:
    assert reported_library(item, PROVIDER) == Reported(Code("provider", PROVIDER))


def test_a_code_in_place_of_the_name_is_a_code() -> None:
    assert reported_library(Item(holding_agent="JP-1000001"), PROVIDER) == Reported(Code("ISIL", "JP-1000001"))


def test_long_values_stay_different() -> None:
    first, second = code_of("x", "1" * 300 + "a"), code_of("x", "1" * 300 + "b")
    assert first and second and first != second and len(first.value) == LONGEST_VALUE


@given(st.text(max_size=900), st.text(max_size=900), st.text(max_size=900))
def test_any_text_fits_the_columns(name, scheme, value) -> None:
    item = Item(holding_agent=name, holding_agent_identifiers=(Identifier(scheme=scheme, value=value),))
    library = reported_library(item, PROVIDER)
    assert len(library.name) <= LONGEST_NAME and "\x00" not in library.name
    assert 0 < len(library.code.value) <= LONGEST_VALUE and "\x00" not in library.code.value
    assert len(library.code.scheme) <= LONGEST_SCHEME and "\x00" not in library.code.scheme
