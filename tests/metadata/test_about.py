"""Licence and origins of a description, from the <about> containers of OAI-PMH."""

import pytest

from metadata.about import (
    LONGEST_STATEMENT,
    MOST_CONTAINERS,
    MOST_ORIGINS,
    MOST_STATEMENTS,
    NOTHING,
    About,
    Origin,
    decode_about,
    encode_about,
    forbids_derivatives,
    licence_label,
    read_about,
)
from metadata.xml.parsing import parse

RIGHTS = "http://www.openarchives.org/OAI/2.0/rights/"
BY_ND = "https://creativecommons.org/licenses/by-nd/4.0/"
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'


def about(*containers: str) -> About:
    root = parse(f"<record>{''.join(f'<about>{container}</about>' for container in containers)}</record>".encode())
    return read_about(list(root))


def provenance(inner: str) -> str:
    return f'<provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance">{inner}</provenance>'


def description(number: int, inner: str = "") -> str:
    return (
        f'<originDescription harvestDate="2024-01-0{number}T00:00:00Z" altered="true">'
        f"<baseURL>http://a{number}.example/oai</baseURL><identifier>oai:a{number}.example:1</identifier>"
        f"<datestamp>2024-01-01</datestamp><metadataNamespace>http://a.example/ns</metadataNamespace>{inner}"
        "</originDescription>"
    )


@pytest.mark.parametrize(
    ("container", "statement"),
    [
        (f'<rights xmlns="{RIGHTS}"><rightsReference ref="{BY_ND}"/></rights>', BY_ND),
        (f'<rights xmlns="{RIGHTS}"><rightsReference ref=" {BY_ND} "/></rights>', BY_ND),
        (
            f'<rights xmlns="{RIGHTS}"><rightsDefinition><x>All <b>rights</b></x></rightsDefinition></rights>',
            "All rights",
        ),
        (
            f'<rights xmlns="{RIGHTS}"><rightsDefinition><d {DC}><dc:publisher>P</dc:publisher>'
            "<dc:rights>CC BY\n 4.0</dc:rights></d></rightsDefinition></rights>",
            "CC BY 4.0",
        ),
        (f"<oai_dc:dc xmlns:oai_dc='urn:x' {DC}><dc:rights>{BY_ND}</dc:rights></oai_dc:dc>", BY_ND),
        (f"<dc:rights {DC}>{BY_ND}</dc:rights>", BY_ND),
    ],
)
def test_rights_are_read_in_every_usual_form(container, statement):
    assert about(container) == About(rights=(statement,))


@pytest.mark.parametrize(
    "container",
    ["", "<x/>", f'<rights xmlns="{RIGHTS}"><rightsReference ref="javascript:alert(1)"/></rights>', provenance("<x/>")],
)
def test_what_says_nothing_is_nothing(container):
    assert about(container) is NOTHING


def test_origins_nest():
    found = about(provenance(description(1, description(2))))
    assert [origin.base_url for origin in found.origins] == ["http://a1.example/oai", "http://a2.example/oai"]
    assert found.origins[0] == Origin(
        base_url="http://a1.example/oai",
        identifier="oai:a1.example:1",
        datestamp="2024-01-01",
        namespace="http://a.example/ns",
        harvested="2024-01-01T00:00:00Z",
        altered=True,
    )


def test_whatever_a_provider_sends_is_bounded():
    rights = [f"<dc:rights {DC}>{number}{'x' * 2000}</dc:rights>" for number in range(1000)]
    nested = ""
    for _depth in range(60):
        nested = description(1, nested)
    found = about(*rights[: MOST_CONTAINERS // 2], provenance(nested), *rights)
    assert len(found.rights) == MOST_STATEMENTS
    assert {len(statement) for statement in found.rights} == {LONGEST_STATEMENT}
    assert len(found.origins) == MOST_ORIGINS


def test_it_is_stored_as_it_was_read():
    found = about(provenance(description(1)), f"<dc:rights {DC}>CC0</dc:rights>")
    assert decode_about(encode_about(found)) == found
    assert encode_about(NOTHING) == b""
    assert decode_about(b"") == NOTHING


@pytest.mark.parametrize(
    ("statement", "forbidden", "label"),
    [
        (BY_ND, True, "CC BY-ND 4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/2.1/jp/", True, "CC BY-NC-ND 2.1 JP"),
        ("CC BY-ND 4.0", True, "CC BY-ND 4.0"),
        ("https://creativecommons.org/licenses/by/4.0/deed.ja", False, "CC BY 4.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", False, "CC0 1.0"),
        ("Second hand", False, "Second hand"),
        ("CC BY NC ND 4.0", True, "CC BY-NC-ND 4.0"),
        ("クリエイティブ・コモンズ 表示 - 改変禁止 4.0 国際", True, "CC BY-ND 4.0"),
        ("Creative Commons Attribution-NoDerivatives 4.0 International", True, "CC BY-ND 4.0"),
        ("本メタデータの改変を禁じます", True, "本メタデータの改変を禁じます"),
    ],
)
def test_licences_are_recognised(statement, forbidden, label):
    assert (forbids_derivatives(statement), licence_label(statement)) == (forbidden, label)
